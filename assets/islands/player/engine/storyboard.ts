/** The thumbnails of the scrubber: WebVTT cues that name a part of an image (`sheet.jpg#xywh=…`, W3C Media Fragments). */
export type Tile = {
  from: number;
  to: number;
  sheet: string;
  x: number;
  y: number;
  w: number;
  h: number;
};

const timing = /(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})\s+-->\s+(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})/;

function seconds([hours, minutes, whole, thousandths]: (string | undefined)[]): number {
  const number = (text: string | undefined): number => Number(text ?? 0);
  return number(hours) * 3600 + number(minutes) * 60 + number(whole) + number(thousandths) / 1000;
}

/**
 * Parse the WebVTT text of a storyboard; cues without a time or an area are skipped.
 * @param address of the text itself: images are named relative to it
 */
export function parseStoryboard(text: string, address: string): Tile[] {
  const tiles: Tile[] = [];
  for (const block of text.replaceAll("\r\n", "\n").split(/\n{2,}/)) {
    const time = timing.exec(block);
    const place = /^(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)\s*$/m.exec(block);
    if (!time || !place) continue;
    const [x = 0, y = 0, w = 0, h = 0] = place.slice(2).map(Number);
    const sheet = new URL(place[1] ?? "", new URL(address, location.href)).href;
    tiles.push({
      from: seconds(time.slice(1, 5)),
      to: seconds(time.slice(5, 9)),
      sheet,
      x,
      y,
      w,
      h,
    });
  }
  return tiles;
}

export function tileAt(tiles: readonly Tile[], time: number): Tile | null {
  return tiles.find(({ from, to }) => time >= from && time < to) ?? tiles.at(-1) ?? null;
}
