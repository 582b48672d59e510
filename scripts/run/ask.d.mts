export function ask(question: string, byEnter: boolean): Promise<boolean | undefined>;
