/** The part of Bun's foreign function interface that the probes use (https://bun.sh/docs/api/ffi). */
declare module 'bun:ffi' {
  export function dlopen(
    name: string,
    symbols: object,
  ): { readonly symbols: Record<string, (...args: never[]) => unknown> };
  export function ptr(buffer: Uint8Array): number;
  export function toArrayBuffer(address: number, offset: number, length: number): ArrayBuffer;
  export function CFunction(definition: object): (...args: unknown[]) => unknown;
}
