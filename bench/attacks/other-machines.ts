/**
 * What a benchmark starts besides the product stands for other machines, and shares this one's processors with it all the same. Where Linux lets it,
 * a control group each keeps it out of the way: attackers get only time that nobody else wants, and whoever else wants a processor has it at once;
 * who measures, with their own provider, does not wait behind the product's threads. Where it does not, priorities do what they can.
 */
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the groups for processors are, version 1 and version 2. */
const hierarchies = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];
const prefix = 'metergate-bench-';

type Place = 'attackers' | 'measurer';

/** What makes such a group, by file: any one of these, as the system has them. */
const settings: Readonly<Record<Place, readonly (readonly [string, string])[]>> = {
  attackers: [['cpu.idle', '1']],
  measurer: [['cpu.shares', '262144'], ['cpu.weight', '10000']],
};

let isWatched = false;

/** Puts a process, this one or a child of it, into the group of that place; true if it is there. Groups are removed when this process ends. */
export function standFor(place: Place, pid: number = process.pid): boolean {
  if (!isWatched) {
    isWatched = true;
    removeGroups();
    process.once('exit', removeGroups);
  }
  return hierarchies.some((hierarchy) => settings[place].some(([file, value]) => {
    try {
      const group = join(hierarchy, `${prefix}${process.pid}-${place}`);
      mkdirSync(group, { recursive: true });
      writeFileSync(join(group, file), value, { flag: 'r+' });
      writeFileSync(join(group, 'cgroup.procs'), String(pid), { flag: 'r+' });
      return true;
    } catch {
      // The system has no such group, or does not let this user make one.
      return false;
    }
  }));
}

/** This process leaves its groups. Removed are those in which nobody is, of whatever benchmark. */
function removeGroups(): void {
  for (const hierarchy of hierarchies) {
    try {
      const groups = readdirSync(hierarchy).filter((name) => name.startsWith(prefix));
      if (groups.some((name) => name.startsWith(`${prefix}${process.pid}-`))) {
        writeFileSync(join(hierarchy, 'cgroup.procs'), String(process.pid), { flag: 'r+' });
      }
      for (const name of groups) removeIfEmpty(join(hierarchy, name));
    } catch {
      // There is no such hierarchy, or it is another user's.
    }
  }
}

function removeIfEmpty(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Somebody is in it.
  }
}
