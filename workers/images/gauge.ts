import { Gauge, type Registry } from '../../shared/telemetry.js';

/** Makes gauges of `registry` that read their value whenever metrics are collected. */
export function gaugeIn(registry: Registry): (name: string, help: string, read: () => number) => void {
  return (name, help, read) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
}
