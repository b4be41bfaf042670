// Pages of lessons: opens the notes or the timeline, and marks moments.
import { startTimelineDoor } from "./site/timelineDoor";

startTimelineDoor();
