import { type CSSProperties, useEffect, useState } from "react";

import { clock } from "../../shared/format";
import { parseStoryboard, type Tile, tileAt } from "./engine/storyboard";
import { percent } from "./percent";

type Props = {
  time: number;
  duration: number;
  /** The address of the storyboard, or null where there is none. */
  storyboard: string | null;
  title: string | undefined;
};

/** The pictures of each storyboard that was fetched, or is being fetched. */
const fetched = new Map<string, Promise<readonly Tile[]>>();

function fetchTiles(address: string): Promise<readonly Tile[]> {
  const known = fetched.get(address);
  if (known) return known;
  const tiles = fetch(address)
    .then((response) =>
      response.ok ? response.text() : Promise.reject(new Error(response.statusText)),
    )
    .then((text) => parseStoryboard(text, address))
    .catch(() => {
      fetched.delete(address); // fetched again the next time
      return [];
    });
  fetched.set(address, tiles);
  return tiles;
}

/** What is at a second of the timeline: its picture, its time, and a chapter or a question. */
export function Preview({ time, duration, storyboard, title }: Props) {
  const [tiles, setTiles] = useState<readonly Tile[]>([]);
  useEffect(() => {
    if (storyboard !== null) void fetchTiles(storyboard).then(setTiles);
  }, [storyboard]);
  const tile = tileAt(tiles, time);
  const place = { "--at": percent(time, duration) } as CSSProperties;
  return (
    <span className="scrub__preview" style={place} aria-hidden="true">
      {tile && (
        <span
          className="scrub__tile"
          style={{
            width: tile.w,
            height: tile.h,
            backgroundImage: `url("${tile.sheet}")`,
            backgroundPosition: `-${tile.x}px -${tile.y}px`,
          }}
        />
      )}
      <span className="scrub__time">
        {title === undefined ? clock(time) : `${clock(time)} ${title}`}
      </span>
    </span>
  );
}
