/** Something about the picture that is on or off. */
export type Switch = { isOn: boolean; toggle: () => void };

/** How the video is shown; audio has none of it. `picture` is null where the browser has no picture in picture. */
export type View = { full: Switch; picture: Switch | null; theater: Switch };
