export const helpTexts: Readonly<Record<'try' | 'test' | 'bench' | 'probes', string>>;
