internal import FoundationEssentials
internal import Glibc

/// The CPU time of the processes of a server, including ended ones.
enum ServerTime {
  /// Returns the CPU time so far in microseconds: of the postmaster, its running children and its ended
  /// children, as counted by the kernel.
  static func spent(postmaster: Int) -> Double {
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var sum = 0.0
    for entry in entries where entry.first?.isNumber == true {
      guard let text = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { continue }
      // The fields after the name, which may contain any character, begin with the state, field 3; times are
      // 14 to 17.
      let fields = text[text.index(after: end)...].split(separator: " ")
      guard fields.count > 15, let pid = Int(entry), let parent = Int(fields[1]) else { continue }
      guard pid == postmaster || parent == postmaster else { continue }
      let own = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
      let ended = pid == postmaster ? (Double(fields[13]) ?? 0) + (Double(fields[14]) ?? 0) : 0
      sum += own + ended
    }
    return sum / ticks * 1_000_000
  }
}
