export declare const sourcesBelow: (root: string) => Map<string, string>;
export declare function sharedNames(sources: Iterable<[path: string, text: string]>): string[];
