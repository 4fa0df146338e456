/* Memory that a process of the daemon's finds ready.
 *
 * A fork shares its parent's pages until one of the two writes to them; each first write is a trap, and a
 * copy of the page. A run makes thousands of small allocations, and a heap in which something was kept and
 * much given back has holes for them in hundreds of pages. So the daemon fills its holes: what is allocated
 * after that lies behind everything, page by page, and these pages are asked for at once.
 *
 * None of it changes what is done, only where it lies; where the kernel or the C library does not play along
 * nothing happens.
 */
#pragma once

/* Before anything is allocated: what is given back stays, and large pieces lie in the heap as well. */
void memory_prepare (void);

/* When all is there that the daemon keeps: fills what lies free between it. */
void memory_fill_holes (void);

/* In a new process: pages for what most runs need. */
void memory_ask (void);

/* In a process that has to wait: makes the pages of all that it has made since its own, which children that
 * it has may share. */
void memory_own (void);
