/** Names that pages and the service worker share. */

/** Before the build: the cache of a shell. It is complete once it has the page. */
export const SHELL_CACHE = "study-shell-";
export const SHELL_PAGE = "/offline";
/** Before lesson and name: a resource of a stored lesson. */
export const MEDIA_PATH = "/offline/media/";
/** Before the path: a file of the shell. */
export const STATIC_PATH = "/offline/static/";
/** To the worker that waits: take over from the one that runs. */
export const UPDATE_MESSAGE = "update";
/** The page of learners whose last state is kept. */
export const DASHBOARD = "/me/dashboard";
