/** A transport without a network, and rows as the server answers them. For tests. */
import { makeError } from "../../shared/api/errors";
import type { Video, VideoLesson } from "./api";
import type { Running, Task, Transport, TransportEvents } from "./transport";

export type FakeUpload = Task & {
  events: TransportEvents;
  isStopped: boolean;
};

export class FakeTransport implements Transport {
  uploads: FakeUpload[] = [];
  removed: string[] = [];
  previous = new Map<string, string>();

  start(task: Task, events: TransportEvents): Running {
    const upload: FakeUpload = { ...task, events, isStopped: false };
    this.uploads.push(upload);
    return { stop: () => (upload.isStopped = true) };
  }

  findPrevious(file: File): Promise<string | null> {
    return Promise.resolve(this.previous.get(file.name) ?? null);
  }

  remove(url: string): Promise<void> {
    this.removed.push(url);
    return Promise.resolve();
  }

  /** The latest upload of this file. */
  of(name: string): FakeUpload {
    const found = this.uploads.findLast(({ file }) => file.name === name);
    if (!found) throw new Error(`${name} was never started`);
    return found;
  }

  breakOff(name: string): void {
    this.of(name).events.onFail(makeError("UPLOAD_NETWORK_ERROR"));
  }
}

/** A file that says it has so many bytes. */
export function fileOf(name: string, size: number): File {
  const file = new File(["x"], name, { type: "video/mp4" });
  Object.defineProperty(file, "size", { value: size });
  return file;
}

export function videoOf(facts: Partial<Video> = {}): Video {
  return {
    uid: "11111111-1111-4111-8111-111111111111",
    filename: "lecture.mp4",
    stage: "queued",
    stage_label: "Queued",
    doing: "",
    percent: 0,
    overall_percent: 0,
    failure: "",
    failure_label: "",
    failure_detail: "",
    is_playable: false,
    duration: 0,
    width: 0,
    height: 0,
    has_audio: true,
    source_bytes: 1000,
    stored_bytes: 0,
    renditions: [],
    captions: [],
    upload: null,
    sources: null,
    abilities: { edit: true, retry: false },
    created_at: "2026-03-14T09:00:00Z",
    updated_at: "2026-03-14T09:00:00Z",
    completed_at: null,
    ...facts,
  };
}

export function uploadOf(facts: Partial<NonNullable<Video["upload"]>> = {}) {
  return {
    uid: "22222222-2222-4222-8222-222222222222",
    purpose: "video" as const,
    filename: "lecture.mp4",
    length: 1000,
    offset: 410,
    target: "",
    created_at: "2026-03-14T09:00:00Z",
    expires_at: "2026-03-21T09:00:00Z",
    ...facts,
  };
}

export function lessonOf(facts: Partial<VideoLesson> = {}): VideoLesson {
  return {
    uid: "33333333-3333-4333-8333-333333333333",
    number: "2.4",
    title: "Eigenvectors",
    course_title: "Linear Algebra",
    href: "/dashboard/instructor/courses/linear-algebra/lectures/eigenvectors#panel",
    video: null,
    ...facts,
  };
}
