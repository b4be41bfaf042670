/** Test data in the shape of the API. */
import type { Video, VideoLesson } from "./api";

export { FakeTransport, fileOf } from "../../shared/uploads/testing";

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
    notice: "",
    is_playable: false,
    duration: 0,
    width: 0,
    height: 0,
    has_audio: true,
    source_bytes: 1000,
    stored_bytes: 0,
    bin_days: 30,
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
    shows: "",
    duration: 0,
    next_video: null,
    token: " ",
    decide_href: null,
    ...facts,
  };
}
