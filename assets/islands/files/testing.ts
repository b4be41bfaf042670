/** A library without a server, for tests: answers the calls of the island from memory. */
import type { FileItem, FolderItem } from "./api";

export function fileOf(uid: string, facts: Partial<FileItem> = {}): FileItem {
  const name = facts.name ?? `${uid}.txt`;
  return {
    uid,
    name,
    kind: "text",
    kind_label: "Text",
    media_type: "text/plain",
    size: 1024,
    modified_at: "2026-03-14T09:00:00Z",
    deleted_at: null,
    folder: null,
    scan: "",
    sharing: { kind: "private", label: "Private" },
    thumbnail: null,
    url: `/files/${uid}`,
    view_url: null,
    download_url: `/files/${uid}/download`,
    ...facts,
  };
}

export function folderOf(uid: string, name: string, count = 0): FolderItem {
  return {
    uid,
    name,
    file_count: count,
    created_at: "2026-03-14T09:00:00Z",
    deleted_at: null,
    sharing: { kind: "private", label: "Private" },
  };
}

type StoredFile = FileItem & { in: string | null; isBinned?: boolean };
type StoredFolder = FolderItem & { in: string | null; isBinned?: boolean };

/** Pages of so many files. */
export const PAGE = 100;

export class FakeLibrary {
  files: StoredFile[] = [];
  folders: StoredFolder[] = [];
  /** "POST /api/v1/files/actions/ {…}" */
  calls: string[] = [];
  /** Calls whose line starts like this are refused with this sentence. */
  refusals = new Map<string, string>();
  /** Ends the answers that are waiting; null: answers are given at once. */
  held: (() => void)[] | null = null;

  add(file: FileItem, folder: string | null = null): void {
    this.files.push({ ...file, in: folder });
  }

  addFolder(folder: FolderItem, parent: string | null = null): void {
    this.folders.push({ ...folder, in: parent });
  }

  fetch = async (asked: Request | string): Promise<Response> => {
    const request = asked instanceof Request ? asked : new Request(new URL(asked, location.href));
    const { pathname, searchParams } = new URL(request.url);
    const sent = request.method === "GET" ? "" : await request.text();
    const line = `${request.method} ${pathname}${sent && ` ${sent}`}`;
    this.calls.push(line);
    if (this.held && request.method !== "GET")
      await new Promise<void>((resolve) => this.held?.push(resolve));
    const refusal = [...this.refusals].find(([start]) => line.startsWith(start));
    if (refusal)
      return Response.json({ code: "FILE_NAME_TAKEN", detail: refusal[1] }, { status: 409 });
    if (!pathname.startsWith("/api/")) return new Response("");
    const body = (sent === "" ? {} : JSON.parse(sent)) as Record<string, unknown>;
    return Response.json(this.answer(request.method, pathname, searchParams, body));
  };

  private answer(
    method: string,
    path: string,
    query: URLSearchParams,
    body: Record<string, unknown>,
  ): unknown {
    const [, folderUid] = /\/folders\/([^/]+)\/$/.exec(path) ?? [];
    if (method === "PATCH" && folderUid) return this.rename(this.folders, folderUid, body);
    if (path.endsWith("/folders/") && method === "POST") {
      const made = folderOf(`made-${this.folders.length}`, String(body["name"]));
      this.addFolder(made, (body["parent"] as string | null) ?? null);
      return made;
    }
    if (path.endsWith("/folders/"))
      return this.folders.map(({ uid, name, in: parent }) => ({ uid, name, parent }));
    if (path.endsWith("/actions/")) return this.act(body);
    const [, uid] = /\/files\/([^/]+)\/$/.exec(path.replace("/api/v1", "")) ?? [];
    if (uid && method === "PATCH") return this.rename(this.files, uid, body);
    if (uid) {
      const html = `<pre>Text of ${uid}</pre>`;
      const preview = { kind: "html", url: null, html, is_cut: false };
      return { ...this.files.find((one) => one.uid === uid), folder: null, versions: [], preview };
    }
    return this.list(query);
  }

  private rename(
    all: (StoredFile | StoredFolder)[],
    uid: string,
    { name }: Record<string, unknown>,
  ): unknown {
    const found = all.find((one) => one.uid === uid);
    if (found) found.name = String(name);
    return found;
  }

  private act(body: Record<string, unknown>): { done: number } {
    const uids = [...(body["files"] as string[]), ...(body["folders"] as string[])];
    for (const one of [...this.files, ...this.folders]) {
      if (!uids.includes(one.uid)) continue;
      if (body["action"] === "move") one.in = body["to"] as string | null;
      else one.isBinned = body["action"] === "bin";
    }
    return { done: uids.length };
  }

  private list(query: URLSearchParams): unknown {
    const uid = query.get("folder");
    const q = query.get("q") ?? "";
    const from = Number(query.get("cursor") ?? 0);
    const here = (one: { in: string | null; isBinned?: boolean; name: string }): boolean =>
      !one.isBinned && (q === "" ? one.in === uid : one.name.includes(q));
    const files = this.files.filter(here);
    const folder = this.folders.find((one) => one.uid === uid);
    const above = this.folders.find((one) => one.uid === folder?.in);
    return {
      folder: folder ? { uid: folder.uid, name: folder.name } : null,
      trail: above ? [{ uid: above.uid, name: above.name }] : [],
      folders: q === "" && from === 0 ? this.folders.filter(here) : [],
      files: files.slice(from, from + PAGE).map((one) => {
        const inside = this.folders.find((each) => each.uid === one.in);
        return { ...one, folder: inside ? { uid: inside.uid, name: inside.name } : null };
      }),
      count: files.length,
      is_count_exact: true,
      next: files.length > from + PAGE ? String(from + PAGE) : null,
    };
  }
}
