import { z from 'zod';

export default 1;
