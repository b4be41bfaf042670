// The few enhancements of server pages. Every page works without them.
import { startLook } from "./site/look";

startLook();
