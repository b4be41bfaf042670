/** The calls of the studio's outline, for one course. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import type { components } from "../shared/api/schema.gen";

type Schemas = components["schemas"];
export type Outline = Schemas["StudioOutline"];
export type Changed = Schemas["StudioOutlineChanged"];
export type Change = Schemas["OutlineChangeOut"];
export type Insertable = Schemas["LessonToInsert"];
type Kind = Schemas["NewLessonInRequest"]["kind"];
export type Settings = Omit<Schemas["LessonSettingsInRequest"], "lessons">;
/** A course that can take what is copied or moved, with its sections. */
export type Target = Schemas["TargetCourse"];
/** Where lessons go in another course: a section, or a new one with a title; sections go to its end. */
export type Destination = { section?: string; section_title?: string };

/** A position behind everything else. */
export const POSITION_AT_END = 9_999;

export type OutlineCalls = ReturnType<typeof createCalls>;

export function createCalls(uid: string) {
  const path = { uid };
  return {
    fetchOutline: (): Promise<Outline> =>
      unwrap(authenticatedApi.GET("/api/v1/studio/courses/{uid}/outline/", { params: { path } })),
    moveLessons: (
      lessons: string[],
      section: string,
      position: number,
      etag: string,
    ): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/move/", {
          params: { path },
          body: { lessons, section, position, etag },
        }),
      ),
    moveSection: (section: string, position: number, etag: string): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/move/", {
          params: { path },
          body: { sections: [section], position, etag },
        }),
      ),
    remove: (lessons: string[], sections: string[] = []): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/remove/", {
          params: { path },
          body: { lessons, sections },
        }),
      ),
    duplicate: (lessons: string[], sections: string[] = []): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/duplicate/", {
          params: { path },
          body: { lessons, sections },
        }),
      ),
    /** Lessons of the instructor's other courses whose titles have these words. */
    findInsertable: async (q: string): Promise<Insertable[]> => {
      const { results } = await unwrap(
        authenticatedApi.GET("/api/v1/studio/courses/{uid}/outline/insert/", {
          params: { path, query: { q } },
        }),
      );
      return results;
    },
    insertLesson: (
      lesson: string,
      section: string,
      position: number,
      isMove: boolean,
    ): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/insert/", {
          params: { path },
          body: { lessons: [lesson], section, position, is_move: isMove },
        }),
      ),
    /** The instructor's other courses that can be edited and have these words in their titles or sections. */
    findTargets: async (q: string): Promise<Target[]> => {
      const { results } = await unwrap(
        authenticatedApi.GET("/api/v1/studio/courses/{uid}/outline/targets/", {
          params: { path, query: { q } },
        }),
      );
      return results;
    },
    /** Copy or move what is in this course to the end of a section of another one, or of that course. */
    sendToCourse: (
      target: string,
      items: { lessons: string[]; sections: string[] },
      destination: Destination,
      isMove: boolean,
    ): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/insert/", {
          params: { path: { uid: target } },
          body: { ...items, ...destination, position: POSITION_AT_END, is_move: isMove },
        }),
      ),
    changeSettings: (lessons: string[], settings: Settings): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/settings/", {
          params: { path },
          body: { lessons, ...settings },
        }),
      ),
    addSection: (title: string): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/sections/", {
          params: { path },
          body: { title },
        }),
      ),
    renameSection: (section: string, title: string, was: string): Promise<Changed> =>
      unwrap(
        authenticatedApi.PATCH("/api/v1/studio/courses/{uid}/outline/sections/{section}/", {
          params: { path: { uid, section } },
          body: { title, was },
        }),
      ),
    /** @param batch what is added with the same one is undone together */
    addLesson: (
      section: string,
      kind: Kind,
      title: string,
      body: string,
      batch: string,
    ): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/outline/lessons/", {
          params: { path },
          body: { section, kind, title, body, batch },
        }),
      ),
    /** The Markdown of a page. */
    convertHtml: async (html: string): Promise<string> => {
      const { markdown } = await unwrap(
        authenticatedApi.POST("/api/v1/content/convert/", { body: { html } }),
      );
      return markdown;
    },
    undo: (change: string, course = uid): Promise<Changed> =>
      unwrap(
        authenticatedApi.POST("/api/v1/studio/courses/{uid}/changes/{change}/undo/", {
          params: { path: { uid: course, change } },
        }),
      ),
  };
}
