/* How several devices shared a run, once it is over. */
#ifndef GF_CLI_BATCH_DEAL_REPORT_H
#define GF_CLI_BATCH_DEAL_REPORT_H

#include "core/deal/deal.h"

/* Shares and units with --verbose, and each device that failed where the others did its work. */
void gf_deal_print(struct gf_deal *d);

#endif
