/** `weir redis failover`: a planned switch of the primary, which loses nothing. */
import { clusterNodes, REDIS_SETTINGS, sentinelsIn } from '../../../../shared/streams/endpoint.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { failOverCluster } from '../../failover/cluster.js';
import { failOverSentinels } from '../../failover/sentinel.js';
import { installationSettings } from '../../installation.js';
import { numberOption } from '../../options.js';

const ONE_REDIS =
  'WEIR_REDIS_URL names one Redis, which Weir cannot switch: it needs Sentinels (redis-sentinel://) or a Cluster (redis-cluster://). ' +
  'Where somebody else runs it, use their command for a failover, and WEIR_REDIS_REPLICAS=1 so that nothing is lost that was answered.';

export const redisFailover: Command = {
  usage: `weir redis failover [--limit SECONDS]          behind Sentinels (redis-sentinel://)
weir redis failover HOST:PORT | --all          on a Cluster (redis-cluster://)

Has a replica take over from the primary, for example before its machine is serviced, and loses nothing. Writes wait until
the replica has all, and until it has taken over: callers wait 1 to 3 s behind Sentinels, and less than 1 s on a Cluster.
Where it cannot be done it says why, and nothing is changed.

Behind Sentinels all replicas must have all that the Sentinels might choose. The user of WEIR_REDIS_URL needs
+replicaof, +client|pause, +client|unpause, +client|kill, +info, +multi, +exec and +discard on the servers of Redis, and
that of the Sentinels +sentinel. On a Cluster it needs +cluster and +info.

  HOST:PORT         the primary of a Cluster that is to become a replica
  --all             all primaries of a Cluster, one after the other
  --limit SECONDS   how long writes may wait for replicas that are behind, from 1 to 60 (5); at most half of
                    down-after-milliseconds. A Cluster has a limit of its own, of 5 s

  WEIR_REDIS_URL=redis-sentinel://10.0.0.1,10.0.0.2,10.0.0.3/weir weir redis failover
  WEIR_REDIS_URL=redis-cluster://10.0.0.1,10.0.0.2 weir redis failover 10.0.0.1:6379
  WEIR_REDIS_URL=redis-cluster://10.0.0.1,10.0.0.2 weir redis failover --all`,
  options: optionsOf({ texts: 'limit', flags: 'all' }),
  async run(given, output) {
    const { positionals, values } = given;
    const [primary] = positionals;
    const all = values.all === true;
    if (positionals.length > 1 || (primary !== undefined && all))
      throw new CommandUsageError('expected HOST:PORT of a primary, or --all');
    if (primary !== undefined && !/^\S+:\d{1,5}$/.test(primary))
      throw new CommandUsageError(`expected HOST:PORT, such as 10.0.0.1:6379, got "${primary.slice(0, 80)}"`);
    const limitMs = 1000 * numberOption(given, 'limit', { default: 5, min: 1, max: 60 });
    const endpoint = installationSettings(REDIS_SETTINGS);
    const say = output.out;
    if (clusterNodes(endpoint)) {
      if (values.limit !== undefined) throw new CommandUsageError('--limit: a Cluster has a limit of its own, of 5 s');
      await failOverCluster(endpoint, { wanted: all ? 'all' : primary, say });
    } else if (sentinelsIn(endpoint)) {
      if (all || primary !== undefined)
        throw new CommandUsageError('Sentinels watch one primary: expected neither HOST:PORT nor --all');
      await failOverSentinels(endpoint, { limitMs, say });
    } else throw new Error(ONE_REDIS);
    return 0;
  },
};
