/** What `apptainer.conf` says, by the names of its directives in small letters; one that repeats has several values. */
export type SiteConfiguration = ReadonlyMap<string, readonly string[]>;

/**
 * Reads an `apptainer.conf`: lines of `name = value`, where `#` begins a comment
 * (https://github.com/apptainer/apptainer/blob/main/pkg/util/apptainerconf/parser.go).
 */
export function parseSiteConfiguration(content: string): SiteConfiguration {
  const values = new Map<string, string[]>();
  for (const line of content.split('\n')) {
    const [, name, value] = /^\s*([a-zA-Z][\w -]*?)\s*=\s*(.*?)\s*$/.exec(line.replace(/#.*/, '')) ?? [];
    if (name !== undefined && value !== undefined) {
      const key = name.toLowerCase();
      values.set(key, [...(values.get(key) ?? []), value]);
    }
  }
  return values;
}

/** Whether a directive is there and has this value; the last one counts. */
export function directiveIs(configuration: SiteConfiguration, name: string, value: string): boolean {
  return configuration.get(name)?.at(-1)?.toLowerCase() === value;
}
