/** Whether a value of JSON is an object: what `{}` says, no array. */
export function isObject(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
