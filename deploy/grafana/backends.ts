/** The dashboard *Backends and models*: what policies ask beyond their own detectors, and what images cost. */
import { type Dashboard, dashboardOf } from './dashboard.js';
import { figure, lines, PROMETHEUS_VARIABLES, quantiles, rates } from './prometheus.js';

const S = 's';
const RATE = 'ops';

export const backends = (): Dashboard =>
  dashboardOf({
    uid: 'weir-backends',
    title: 'Weir: Backends and models',
    description:
      'Language models that are asked, models that score texts and images, and images. docs/operations/dashboards.md',
    variables: PROMETHEUS_VARIABLES,
    rows: [
      [
        'Language models',
        [
          figure('Not called', 'Backends that are not called because they failed', 'max(weir_backends_open{…})', {
            warn: [1, 1],
          }),
          figure(
            'Without an answer',
            'Share of the texts that a backend was to judge',
            'sum(rate(weir_backend_questions_total{outcome!~"answered|cached",…}[$__rate_interval])) / sum(rate(weir_backend_questions_total{…}[$__rate_interval]))',
            {
              unit: 'percentunit',
              warn: [0.001, 0.01],
            },
          ),
          figure(
            'From memory',
            'Share of the texts whose answer was known',
            'sum(rate(weir_backend_questions_total{outcome="cached",…}[$__rate_interval])) / sum(rate(weir_backend_questions_total{…}[$__rate_interval]))',
            { unit: 'percentunit' },
          ),
          figure(
            'Over budget',
            'Texts a second that were not asked for lack of budget',
            'sum(rate(weir_backend_questions_total{outcome="over_budget",…}[$__rate_interval]))',
            { unit: RATE, warn: [0.01, 1] },
          ),
          figure(
            'Retries',
            'Calls a second that were made a second time',
            'sum(rate(weir_backend_retries_total{…}[$__rate_interval]))',
            { unit: RATE },
          ),
          figure(
            'Not counted',
            'Calls a second of backends with a budget that Redis could not count',
            'sum(rate(weir_backend_uncounted_total{…}[$__rate_interval]))',
            { unit: RATE, warn: [0.01, 1] },
          ),
          lines('Texts by outcome', 'A second', [rates('weir_backend_questions_total', 'outcome')], {
            unit: RATE,
            stacked: true,
          }),
          lines('Time of a call', 'However it ended', quantiles('weir_backend_call_seconds'), { unit: S }),
          lines('Calls', 'Now', [
            ['sum(weir_backend_calls_under_way{…})', 'under way'],
            ['sum(weir_backend_calls_waiting{…})', 'waiting'],
          ]),
        ],
      ],
      [
        'Models of texts',
        [
          lines('Texts by outcome', 'A second', [rates('weir_onnx_texts_total', 'outcome')], {
            unit: RATE,
            stacked: true,
          }),
          lines(
            'Time of a model',
            'For a request of up to 8 texts, and the wait for it',
            [
              ...quantiles('weir_onnx_seconds'),
              [
                'histogram_quantile(0.99, sum by (le) (rate(weir_onnx_wait_seconds_bucket{…}[$__rate_interval])))',
                'p99 of the wait',
              ],
            ],
            { unit: S },
          ),
          lines('Models', 'That are loaded by each worker; failed: their files do not work', [
            ['max(weir_onnx_models{…})', 'ONNX'],
            ['max(weir_text_models{…})', 'linear'],
            ['max(weir_image_models_failed{…})', 'failed'],
            ['sum(increase(weir_text_model_loads_total{outcome="failed",…}[$__rate_interval]))', 'linear, not loaded'],
          ]),
        ],
      ],
      [
        'Images',
        [
          lines('Images by outcome', 'A second: looked at, or why not', [rates('weir_images_total', 'outcome')], {
            unit: RATE,
            stacked: true,
          }),
          lines(
            'Fetches that fail',
            'A second',
            [
              [
                'sum by (outcome) (rate(weir_image_fetches_total{outcome!~"fetched|unchanged",…}[$__rate_interval])) > 0',
                '{{outcome}}',
              ],
            ],
            { unit: RATE },
          ),
          lines('Time of a fetch', 'With the wait for a slot', quantiles('weir_image_fetch_seconds'), { unit: S }),
          lines('Time of a decode', 'With the wait for a process', quantiles('weir_image_decode_seconds'), { unit: S }),
          lines('Time of a model', 'For an image, without waiting', quantiles('weir_image_model_seconds'), { unit: S }),
          lines('Time to read text', 'Without waiting', quantiles('weir_image_text_seconds'), { unit: S }),
          lines(
            'Not read or scored',
            'Images a second',
            [
              ['sum by (reason) (rate(weir_image_model_failures_total{…}[$__rate_interval])) > 0', 'model: {{reason}}'],
              ['sum by (reason) (rate(weir_image_text_failures_total{…}[$__rate_interval])) > 0', 'text: {{reason}}'],
              ['sum(rate(weir_images_unread_total{…}[$__rate_interval])) > 0', 'no slot in time'],
            ],
            { unit: RATE },
          ),
          lines('Processes that decode', 'Busy ones, and all', [
            ['sum(weir_image_decodes_under_way{…})', 'busy'],
            ['sum(weir_image_decoders{…})', 'all'],
          ]),
          lines('Confined', 'Workers whose processes that read images are kept from it', [
            ['sum by (from) (weir_image_confined{…})', '{{from}}'],
          ]),
        ],
      ],
    ],
  });
