/** A table with empty cells, whose first head cell is to be written first. */
export function newTable(columns: number, rows: number, head: (column: number) => string): string {
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  const every = (text: string): string[] => Array.from({ length: columns }, () => text);
  return [
    line(every("").map((_, at) => head(at + 1))),
    line(every("---")),
    ...Array.from({ length: rows }, () => line(every("   "))),
  ].join("\n");
}
