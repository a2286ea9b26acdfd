/** The dashboard *Service*: what callers get, what waits, and what is short. */
import { type Dashboard, dashboardOf } from './dashboard.js';
import { figure, lines, PROMETHEUS_VARIABLES, quantiles, rates } from './prometheus.js';

const S = 's';
const SHARE = 'percentunit';
const ITEMS = 'sum(rate(weir_items_total{…}[$__rate_interval]))';
const ERRORS = 'sum(rate(weir_http_request_seconds_count{status="5xx",…}[$__rate_interval]))';
const REQUESTS = 'sum(rate(weir_http_request_seconds_count{…}[$__rate_interval]))';

export const service = (): Dashboard =>
  dashboardOf({
    uid: 'weir-service',
    title: 'Weir: Service',
    description: 'What callers get, what waits, and what is short. docs/operations/dashboards.md',
    variables: PROMETHEUS_VARIABLES,
    rows: [
      [
        'At a glance',
        [
          figure('Not ready', 'Processes whose /readyz is 503', 'sum(1 - weir_ready{…})', { warn: [1, 2] }),
          figure('Items a second', 'Items that got their verdict', ITEMS),
          figure(
            'Answers 5xx',
            'Share of requests: 503 and 504 are refusals and time-outs',
            `${ERRORS} / ${REQUESTS}`,
            {
              unit: SHARE,
              warn: [0.001, 0.01],
            },
          ),
          figure(
            'p99 of checks',
            'Time to the answer of what 2xx was answered',
            'histogram_quantile(0.99, sum by (le) (rate(weir_http_request_seconds_bucket{status="2xx",…}[$__rate_interval])))',
            {
              unit: S,
              warn: [1, 4],
            },
          ),
          figure(
            'Oldest unread check',
            'Fast lane; 503 starts at WEIR_MAX_AGE_MS, 1 s',
            'max(weir_oldest_unread_age_seconds{lane="fast",…})',
            {
              unit: S,
              warn: [0.5, 1],
            },
          ),
          figure(
            'Archive lag',
            'Age of the oldest result that is not in ClickHouse',
            'max(weir_archive_lag_seconds{…})',
            {
              unit: S,
              warn: [30, 60],
            },
          ),
        ],
      ],
      [
        'Requests',
        [
          lines(
            'Requests by route',
            'Requests a second',
            [['sum by (route) (rate(weir_http_request_seconds_count{…}[$__rate_interval])) > 0', '{{route}}']],
            {
              unit: 'reqps',
              stacked: true,
            },
          ),
          lines(
            'p50 by route',
            'Half of the answers come sooner',
            [quantiles('weir_http_request_seconds', 'route')[0]!],
            { unit: S },
          ),
          lines(
            'p99 by route',
            'One answer in a hundred takes longer',
            [quantiles('weir_http_request_seconds', 'route')[1]!],
            { unit: S },
          ),
          lines(
            'Answers by status',
            'Answers a second',
            [['sum by (status) (rate(weir_http_request_seconds_count{…}[$__rate_interval]))', '{{status}}']],
            {
              unit: 'reqps',
              stacked: true,
            },
          ),
          lines('Refusals by reason', 'Errors a second, by their code', [rates('weir_http_refused_total', 'reason')], {
            unit: 'reqps',
          }),
          lines('Connections', 'Open ones, and those that were ended', [
            ['sum(weir_connections{…})', 'open'],
            [
              'sum by (reason) (rate(weir_http_cut_off_total{…}[$__rate_interval])) > 0',
              'cut off a second: {{reason}}',
            ],
            ['sum(rate(weir_connections_refused_total{…}[$__rate_interval])) > 0', 'refused a second'],
          ]),
        ],
      ],
      [
        'Queue',
        [
          lines(
            'Oldest unread check',
            'How long it has waited for a worker. Above 0.5 s (slow lane: 2 s) more evaluators are needed',
            [['max by (lane) (weir_oldest_unread_age_seconds{…})', '{{lane}}']],
            { unit: S, warn: [0.5, 1] },
          ),
          lines('Unread entries', 'Checks that no worker has read', [
            ['max by (lane) (weir_unread_entries{…})', '{{lane}}'],
          ]),
          lines('Pending', 'Checks that wait for their verdict, and that workers hold', [
            ['sum(weir_pending_requests{…})', 'at ingress'],
            ['sum by (lane) (weir_entries_under_way{…})', 'in workers, {{lane}}'],
          ]),
          lines('Without a verdict', 'A second. Dead letters and failed items are to be looked into', [
            ['sum(rate(weir_dead_letters_total{…}[$__rate_interval]))', 'dead letters'],
            ['sum(rate(weir_items_failed_total{…}[$__rate_interval]))', 'failed items'],
            ['sum(rate(weir_attempts_failed_total{…}[$__rate_interval]))', 'failed attempts'],
          ]),
          lines('Items', 'A second', [
            [ITEMS, 'checked'],
            ['sum(rate(weir_items_flagged_total{…}[$__rate_interval]))', 'flagged'],
          ]),
          lines(
            'Bytes that wait',
            'Bodies of checks without a verdict',
            [['sum by (lane) (weir_pending_bytes{…})', '{{lane}}']],
            { unit: 'bytes' },
          ),
        ],
      ],
      [
        'History and followers',
        [
          lines(
            'Lag',
            'Age of the oldest result that waits',
            [
              ['max(weir_archive_lag_seconds{…})', 'archive'],
              ['max(weir_metric_lag_seconds{…})', 'metrics'],
              ['max(weir_hook_lag_seconds{…})', 'webhooks'],
            ],
            { unit: S, warn: [30, 60] },
          ),
          lines('Rows archived', 'A second', [rates('weir_archived_rows_total')]),
          lines(
            'ClickHouse may be away for',
            'Until checks are refused, at the present rate',
            [['min(weir_outage_seconds_left{…})', 'seconds left']],
            { unit: S },
          ),
          lines('Archiving fails', 'Attempts a second, and requests that are set aside', [
            rates('weir_archive_errors_total', 'kind'),
            ['sum(weir_archive_refused_entries{…})', 'set aside'],
          ]),
          lines('Inserts', 'Time of an insert', quantiles('weir_archive_insert_seconds'), { unit: S }),
          lines('Webhooks', 'Attempts a second by outcome, and deliveries that wait', [
            rates('weir_hook_attempts_total', 'outcome'),
            ['sum(weir_hook_deliveries_waiting{…})', 'waiting'],
          ]),
        ],
      ],
      [
        'Redis and ClickHouse',
        [
          lines(
            'Memory of Redis by node',
            'Share of maxmemory. 503 starts at WEIR_MAX_MEMORY_PERCENT, 0.7',
            [['max by (node) (weir_redis_node_memory_ratio{…})', '{{node}}']],
            { unit: SHARE, warn: [0.5, 0.7] },
          ),
          lines('Replicas by node', 'That are connected and have caught up', [
            ['min by (node) (weir_redis_node_replicas{…})', '{{node}}'],
            ['max(weir_redis_replicas_wanted{…})', 'wanted'],
          ]),
          lines('Not reached', 'Processes that do not reach Redis or ClickHouse', [
            ['sum(1 - weir_redis_up{…})', 'Redis'],
            ['sum(1 - weir_clickhouse_up{…})', 'ClickHouse'],
            ['sum(rate(weir_history_failures_total{…}[$__rate_interval]))', 'questions without an answer, a second'],
          ]),
        ],
      ],
      [
        'Saturation',
        [
          lines(
            'CPU per million items',
            'CPU seconds of all processes for a million items',
            [
              [
                '1e6 * sum(rate(process_cpu_seconds_total{process=~"ingress|worker",…}[$__rate_interval])) / (sum(rate(weir_items_total{…}[$__rate_interval])) > 0)',
                'CPU seconds',
              ],
            ],
            { unit: S },
          ),
          lines('CPU', 'Cores in use', [
            [
              'sum by (process) (rate(process_cpu_seconds_total{process=~"ingress|worker",…}[$__rate_interval]))',
              '{{process}}',
            ],
          ]),
          lines(
            'Event loop',
            'Delay. Ingress answers 503 above WEIR_MAX_LOOP_LAG_MS, 0.5 s',
            [
              ['max(weir_loop_lag_seconds{…})', 'ingress, now'],
              ['max by (process) (nodejs_eventloop_lag_p99_seconds{process=~"ingress|worker",…})', 'p99, {{process}}'],
            ],
            { unit: S, warn: [0.1, 0.5] },
          ),
          lines(
            'Threads that evaluate',
            'How many are busy on average; compare with WEIR_THREADS and WEIR_SLOW_THREADS',
            [['sum by (instance) (rate(weir_evaluation_seconds_total{…}[$__rate_interval]))', '{{instance}}']],
          ),
          lines('Slots that are waited for', 'What waits is short', [
            ['sum(weir_http_waiting{…})', 'turns at ingress'],
            ['sum(weir_parse_waiting{…})', 'bodies to be parsed'],
            ['sum(weir_image_fetches_waiting{…})', 'images to be fetched'],
            ['sum(weir_image_decodes_waiting{…})', 'images to be decoded'],
            ['sum(weir_image_places_waiting{…})', 'images to be read or scored'],
            ['sum(weir_backend_calls_waiting{…})', 'calls of backends'],
            ['sum(weir_onnx_waiting{…})', 'models of texts'],
          ]),
          lines(
            'Memory',
            'Resident, of the largest process',
            [['max by (process) (process_resident_memory_bytes{process=~"ingress|worker",…})', '{{process}}']],
            { unit: 'bytes' },
          ),
          lines('Starts', 'Processes that started again within 30 minutes', [
            ['sum by (process) (changes(process_start_time_seconds{process=~"ingress|worker",…}[30m]))', '{{process}}'],
          ]),
          lines('Versions', 'Processes by release: two while one is replaced', [
            ['count by (process, version) (weir_build_info{…})', '{{process}} {{version}}'],
          ]),
          lines('Configuration', 'Its number: lowest and highest of all processes', [
            ['min(weir_configuration_version{…})', 'lowest'],
            ['max(weir_configuration_version{…})', 'highest'],
          ]),
        ],
      ],
    ],
  });
