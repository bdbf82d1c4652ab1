import { z } from 'zod';

export const inputSchema = z.object({});
export const resultSchema = z.object({});

export default async function Page() {
  return null;
}
