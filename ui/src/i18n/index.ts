// One typed catalogue a language. German and Portuguese will stand beside English and have its shape.
import { en } from './en';

export type Catalogue = typeof en;
export const t: Catalogue = en;
