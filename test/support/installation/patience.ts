/** Settings of installations whose tests are not about speed: slow is not wrong where several share few cores. */
export const PATIENCE = {
  WEIR_DEADLINE_MS: '60000',
  WEIR_MAX_AGE_MS: '60000',
  WEIR_MAX_SLOW_AGE_MS: '60000',
  WEIR_MAX_LOOP_LAG_MS: '60000',
  WEIR_HISTORY_TIMEOUT_MS: '60000',
};
