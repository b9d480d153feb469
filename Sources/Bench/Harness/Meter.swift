internal import FoundationEssentials
internal import Glibc

/// Counts the CPU time of processes.
enum Meter: Sendable {
  /// This process and its ended child processes.
  case own
  /// A process, its children, and those that have ended, such as the postmaster.
  case tree(Int)

  /// The CPU time so far in microseconds, user and system together.
  var spent: Double {
    switch self {
    case .own:
      return [RUSAGE_SELF, RUSAGE_CHILDREN].reduce(0) { sum, who in
        var usage = rusage()
        getrusage(who.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(sum) {
          $0 + Double($1.tv_sec) * 1e6 + Double($1.tv_usec)
        }
      }
    case .tree(let root):
      let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return processes.compactMap { Int($0) }.reduce(0) { $0 + Self.spent($1, of: root) }
    }
  }

  private static func spent(_ pid: Int, of root: Int) -> Double {
    // A process may end at any time.
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return 0 }
    // The fields after the name, which may contain any character, begin with the state, field 3; times are 14 to 17.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 15, pid == root || Int(fields[1]) == root else { return 0 }
    let ticks = fields[11...(pid == root ? 14 : 12)].reduce(0) { $0 + (Double($1) ?? 0) }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK))) * 1e6
  }

  /// Measures a rate, and the CPU time of each meter per unit; NaN for nil.
  static func read(_ meters: [Meter?], _ body: () async throws -> Sample) async throws -> Reading {
    let before = meters.map { $0?.spent ?? .nan }
    let sample = try await body()
    // Ended processes are counted once PostgreSQL has noticed their end.
    if meters.count > 1 { try await Task.sleep(for: .milliseconds(50)) }
    let spent = zip(meters, before).map { (($0?.spent ?? .nan) - $1) / sample.units }
    return Reading(sample.perSecond, cpu: spent)
  }
}
