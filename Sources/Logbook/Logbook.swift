internal import FoundationEssentials
internal import Glibc
package import Logging
internal import Synchronization

/// The log of a process. It writes whole lines to stderr, as text or JSON, redacts secrets and limits
/// repetitions.
package final class Logbook: Sendable {
  private let format: LogFormat
  private let limiter: Mutex<RepeatLimiter>
  private let now: @Sendable () -> Date
  private let write: @Sendable (String) -> Void

  /// Creates a log that writes to stderr.
  package convenience init(_ format: LogFormat) {
    self.init(format, limiter: RepeatLimiter(), now: { Date() }, write: Self.toStandardError)
  }

  init(
    _ format: LogFormat,
    limiter: RepeatLimiter,
    now: @escaping @Sendable () -> Date,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.format = format
    self.limiter = Mutex(limiter)
    self.now = now
    self.write = write
  }

  /// Returns a logger that writes to this log.
  package func logger(_ label: String, level: Logger.Level) -> Logger {
    var logger = Logger(label: label) { LogbookHandler(label: $0, book: self) }
    logger.logLevel = level
    return logger
  }

  /// Logs how many repeated lines were suppressed in intervals that have ended. Call it regularly.
  package func sweep() { limiter.withLock { put($0.sweep(now())) } }

  /// Logs how many repeated lines were suppressed. Call it once before the process ends.
  package func finish() { limiter.withLock { put($0.finish(now())) } }

  func add(_ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata) {
    limiter.withLock { limiter in
      put(limiter.take(LogLine(at: now(), level: level, logger: label, message: message, metadata: metadata)))
    }
  }

  /// Writes lines. The lock is held, so that lines stay whole and in order.
  private func put(_ lines: [LogLine]) {
    for line in lines { write(line.rendered(as: format) + "\n") }
  }

  private static func toStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let written = Glibc.write(2, start, rest.count)
        if written < 0, errno == EINTR { continue }
        // The reader of stderr is gone, so the text is dropped.
        guard written > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
    }
  }
}

/// Passes the lines of one logger to the log.
struct LogbookHandler: LogHandler {
  let label: String
  let book: Logbook
  var logLevel: Logger.Level = .info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(label: String, book: Logbook) {
    self.label = label
    self.book = book
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
    book.add(event.level, label, "\(event.message)", all)
  }
}
