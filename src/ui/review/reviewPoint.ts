/** A snapshot with which a folder is compared. */
export interface ReviewPoint {
  /** real path */
  readonly workspace: string;
  /** where the snapshots of this workspace are */
  readonly store: string;
  /** of the snapshot */
  readonly id: string;
}
