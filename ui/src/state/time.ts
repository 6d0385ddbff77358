// Times as people read them.
import { t } from '../i18n';

export function ago(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000);
  if (minutes < 1) return t.time.justNow;
  if (minutes < 60) return t.time.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t.time.hours(hours);
  return t.time.days(Math.floor(hours / 24));
}

export function duration(ms: number): string {
  if (ms < 1000) return t.time.ms(Math.round(ms));
  if (ms < 60_000) return t.time.s((ms / 1000).toFixed(1));
  const seconds = Math.round(ms / 1000);
  return t.time.min(Math.floor(seconds / 60), seconds % 60);
}

/** HH:MM:SS of the wall clock, whatever the language: it is read in columns. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export const secondsSince = (at: number, now: number): number => Math.max(0, Math.floor((now - at) / 1000));
export const secondsUntil = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1000));
