export function ask(question: string): Promise<boolean | undefined>;
