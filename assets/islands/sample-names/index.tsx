export { NameSearch as Island } from "./NameSearch";
