internal import Domain
internal import Glibc
internal import Synchronization

/// A progress bar on stderr; silent unless stderr is a terminal.
///
/// Threads can advance the bar at any rate: it is drawn at most ten times a second, and not during the first
/// second.
package final class ProgressBar: Sendable {
  private let progress: Mutex<Progress>
  private let now: @Sendable () -> ContinuousClock.Instant
  private let write: @Sendable (String) -> Void

  /// Starts a bar.
  ///
  /// - Parameters:
  ///   - unit: the unit of the items, such as `rows`.
  ///   - total: the number of items; nil if it is unknown.
  ///   - screen: the screen of stderr, whose width limits the bar.
  package convenience init(_ title: String, unit: String, total: Int?, on screen: Screen) {
    self.init(
      Progress(title: title, unit: unit, total: total, width: screen.width),
      now: { ContinuousClock.now },
      write: { try? BufferedOutput.writeAll(Array($0.utf8), to: 2) }  // an undrawn bar is no error
    )
  }

  init(
    _ progress: Progress,
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    write: @escaping @Sendable (String) -> Void
  ) {
    var progress = progress
    progress.start = now()
    self.progress = Mutex(progress)
    self.now = now
    self.write = write
  }

  /// Sets the number of finished items.
  package func advance(to done: Int) {
    let now = now()
    progress.withLock { progress in
      if let line = progress.advance(to: done, at: now) { write(line) }
    }
  }

  /// Removes the bar from the screen. Call before any other output.
  package func finish() {
    progress.withLock { progress in
      if let line = progress.finish() { write(line) }
    }
  }
}

/// The state of a progress bar: decides when and what to draw.
struct Progress {
  let title: String
  let unit: String
  let total: Int?
  /// The number of columns of the terminal; nil disables the bar.
  let width: Int?
  var start: ContinuousClock.Instant?
  private var lastDrawn: ContinuousClock.Instant?

  private static let delay = Duration.seconds(1)
  private static let interval = Duration.milliseconds(100)
  private static let clear = "\r\u{1B}[K"

  init(title: String, unit: String, total: Int?, width: Int?) {
    self.title = title
    self.unit = unit
    self.total = total
    self.width = width
  }

  /// Returns the text to draw now; nil if nothing is to be drawn.
  mutating func advance(to done: Int, at now: ContinuousClock.Instant) -> String? {
    guard let width, let start, now - start >= Self.delay else { return nil }
    if let lastDrawn, now - lastDrawn < Self.interval { return nil }
    lastDrawn = now
    let elapsed = (now - start) / .seconds(1)
    return Self.clear + DisplayText.truncated(line(done: done, elapsed: elapsed, width: width), to: width - 1)
  }

  /// Returns the text that removes the bar; nil if no bar was drawn.
  mutating func finish() -> String? {
    defer { lastDrawn = nil }
    return lastDrawn == nil ? nil : Self.clear
  }

  private func line(done: Int, elapsed: Double, width: Int) -> String {
    let rate = Double(done) / elapsed
    let speed = "\(Figures.grouped(Int(clamping: rate)))/s"
    let title = DisplayText.neutralized(title)
    guard let total, total > 0 else { return "\(title)  \(Figures.grouped(done)) \(unit)  \(speed)" }
    let share = min(1, Double(done) / Double(total))
    let remaining = rate > 0 ? Figures.clock(seconds: Double(max(0, total - done)) / rate) : "?"
    let counts = "\(Figures.grouped(done))/\(Figures.grouped(total)) \(unit)"
    let figures = "\(Int(clamping: share * 100))%  \(counts)  \(speed)  \(remaining) left"
    let room = width - 1 - DisplayText.width(title) - DisplayText.width(figures) - 4
    guard room >= 8 else { return "\(title)  \(figures)" }
    return "\(title)  \(Chart.bar(share, width: min(room, 30), track: "░"))  \(figures)"
  }
}
