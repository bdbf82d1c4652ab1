import { z } from 'zod';

export let config = { title: 'Review' };

export const inputSchema = z.object({});
export const resultSchema = z.object({});

export default async function Page() {
  return null;
}
