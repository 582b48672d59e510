/** What a row of a tree looks like, as data; all of it plain text. */
export interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** a product icon's id */
  readonly icon: string;
  readonly tooltip: string;
  readonly accessibleLabel: string;
  /** words for `viewItem` in the manifest's menus */
  readonly contextValue: string;
}
