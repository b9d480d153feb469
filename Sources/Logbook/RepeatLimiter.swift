internal import FoundationEssentials
internal import Logging

/// Limits how often equal lines are written per interval, and counts the suppressed lines.
///
/// Lines are equal if their level, logger, message, job kind and error are equal. Digits in the error are
/// ignored, and only its first 300 characters count.
struct RepeatLimiter {
  private struct Key: Hashable {
    let level: Logger.Level
    let logger: String
    let message: String
    let kind: String
    let error: String

    init(_ line: LogLine) {
      level = line.level
      logger = line.logger
      message = line.message
      kind = line.metadata["kind"].map { "\($0)" } ?? ""
      error = String((line.metadata["error"].map { "\($0)" } ?? "").filter { !$0.isNumber }.prefix(300))
    }
  }

  private struct Window {
    let began: Date
    var written = 0
    var suppressed = 0
    var last: LogLine
  }

  /// The maximum number of equal lines per interval.
  let most: Int
  let interval: TimeInterval
  /// The maximum number of different lines that are counted at a time.
  private let mostKinds: Int
  private var windows: [Key: Window] = [:]

  init(most: Int = 5, interval: TimeInterval = 30, mostKinds: Int = 1_000) {
    self.most = most
    self.interval = interval
    self.mostKinds = mostKinds
  }

  /// The logger whose lines are not limited: one line for each request of the API.
  static let unlimited = "fettle.access"

  /// Adds a line.
  ///
  /// - Returns: the lines to write now: the line unless it is suppressed, and messages about suppressed
  ///   lines.
  mutating func take(_ line: LogLine) -> [LogLine] {
    var due = sweep(line.at)
    guard line.logger != Self.unlimited else { return due + [line] }
    let key = Key(line)
    if windows[key] == nil, windows.count >= mostKinds,
      let oldest = windows.min(by: { $0.value.began < $1.value.began })?.key
    {
      due += Self.summary(windows.removeValue(forKey: oldest), line.at)
    }
    var window = windows[key] ?? Window(began: line.at, last: line)
    if window.written < most {
      window.written += 1
      due.append(line)
    } else {
      window.suppressed += 1
    }
    window.last = line
    windows[key] = window
    return due
  }

  /// Ends the intervals that are over.
  ///
  /// - Returns: the messages about the lines suppressed in them.
  mutating func sweep(_ now: Date) -> [LogLine] {
    // An interval also ends if the clock was set back.
    let over = windows.filter { !(0..<interval).contains(now.timeIntervalSince($0.value.began)) }
    guard !over.isEmpty else { return [] }
    for key in over.keys { windows[key] = nil }
    return over.values.sorted { $0.began < $1.began }.flatMap { Self.summary($0, now) }
  }

  /// Ends all intervals.
  ///
  /// - Returns: the messages about all suppressed lines.
  mutating func finish(_ now: Date) -> [LogLine] {
    defer { windows = [:] }
    return windows.values.sorted { $0.began < $1.began }.flatMap { Self.summary($0, now) }
  }

  private static func summary(_ window: Window?, _ now: Date) -> [LogLine] {
    guard let window, window.suppressed > 0 else { return [] }
    var metadata: Logger.Metadata = ["suppressed": "\(window.suppressed)"]
    for name in ["kind", "error"] { metadata[name] = window.last.metadata[name] }
    return [
      LogLine(
        at: now,
        level: window.last.level,
        logger: window.last.logger,
        message: "\(window.last.message) (repeated)",
        metadata: metadata
      )
    ]
  }
}
