package import CoreMetrics
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The resource usage of the process under Prometheus's standard names, read from `/proc`.
package struct ProcessMetrics: Sendable {
  package static let descriptions = [
    MetricDescription(
      "process_cpu_seconds_total",
      .counter,
      "Processor time used by the process, in seconds."
    ),
    MetricDescription("process_open_fds", .gauge, "Open files and sockets."),
    MetricDescription("process_max_fds", .gauge, "Maximum number of open files and sockets."),
    MetricDescription("process_resident_memory_bytes", .gauge, "Resident memory in bytes."),
    MetricDescription("process_virtual_memory_bytes", .gauge, "Virtual memory in bytes."),
    MetricDescription("process_threads", .gauge, "Threads of the process."),
    MetricDescription("process_start_time_seconds", .gauge, "Start time of the process, in Unix seconds."),
  ]

  private let cpu: FloatingPointCounter
  private let counted = Counted()
  private let meters: [String: Meter]

  /// The processor time at the last reading, in seconds. The counter is advanced by the difference.
  private final class Counted: Sendable {
    let seconds = Mutex(0.0)
  }

  /// - Parameter factory: creates the metrics.
  package init(_ factory: any MetricsFactory) {
    cpu = FloatingPointCounter(label: "process_cpu_seconds_total", dimensions: [], factory: factory)
    var meters: [String: Meter] = [:]
    for description in Self.descriptions where description.kind == .gauge {
      meters[description.name] = Meter(label: description.name, dimensions: [], factory: factory)
    }
    self.meters = meters
  }

  /// Reads the current usage. Values that cannot be read keep their last reading.
  package func read() {
    guard let fields = Self.fields() else { return }
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    // Index 0 is the third field of /proc/self/stat, the state.
    if fields.count > 21 {
      let used = ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / ticks
      let more = counted.seconds.withLock { last in
        defer { last = max(last, used) }
        return used - last
      }
      if more > 0 { cpu.increment(by: more) }
      set("process_threads", Double(fields[17]))
      set("process_virtual_memory_bytes", Double(fields[20]))
      set("process_resident_memory_bytes", Double(fields[21]).map { $0 * Double(getpagesize()) })
      if let boot = Self.bootTime, let start = Double(fields[19]) {
        set("process_start_time_seconds", boot + start / ticks)
      }
    }
    set("process_open_fds", Self.openFiles)
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      set("process_max_fds", Double(limit.rlim_cur))
    }
  }

  private func set(_ name: String, _ value: Double?) {
    if let value { meters[name]?.set(value) }
  }

  private static func fields() -> [Substring]? {
    guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8) else { return nil }
    // The program's name in parentheses may contain any character, so the fields are read after the last
    // parenthesis.
    return text.lastIndex(of: ")").map { text[$0...].dropFirst().split(separator: " ") }
  }

  private static var openFiles: Double? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) }
  }

  /// The boot time in Unix seconds, computed from clocks, because a service may see only processes in
  /// `/proc`.
  private static let bootTime: Double? = {
    var (now, since) = (timespec(), timespec())
    guard clock_gettime(CLOCK_REALTIME, &now) == 0, clock_gettime(CLOCK_BOOTTIME, &since) == 0 else {
      return nil
    }
    return Double(now.tv_sec - since.tv_sec) + Double(now.tv_nsec - since.tv_nsec) / 1e9
  }()
}
