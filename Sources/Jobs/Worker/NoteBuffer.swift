internal import Store

/// The notes and progress of a job that are not yet written.
///
/// Notes are buffered without cost to the job and written at most once a second. Of the progress reports only
/// the latest is kept. Notes beyond the limits are suppressed; a last note gives their number.
struct NoteBuffer: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Maximum number of notes buffered between two writes.
  static let mostAtOnce = 100
  /// Maximum number of notes of an attempt.
  static let most = 1_000
  /// Minimum interval between writes.
  static let interval: Duration = .seconds(1)
  /// Maximum length of a note in the database, in code points.
  private static let longest = 4_000

  private struct Told {
    let done: Double?
    let text: String?
    let at: Instant
  }

  private var progress: Told?
  private var notes: [Told] = []
  /// Number of notes of the attempt that were kept.
  private var count = 0
  /// Number of suppressed notes since the last write.
  private var leftOut = 0
  /// The time of the last write.
  private var written: Instant?

  /// Records the progress of the job. Infinite and undefined values are ignored.
  ///
  /// - Parameters:
  ///   - done: the finished part, clamped to 0 to 1.
  ///   - text: the current step.
  mutating func progress(_ done: Double, _ text: String?, at now: Instant) {
    guard done.isFinite else { return }
    progress = Told(done: min(1, max(0, done)), text: Self.short(text), at: now)
  }

  /// Records a note, or counts it as suppressed if the buffer or the attempt is at its limit. An empty text
  /// is ignored.
  mutating func note(_ text: String, at now: Instant) {
    guard let text = Self.short(text) else { return }
    guard notes.count < Self.mostAtOnce, count < Self.most else {
      leftOut += 1
      return
    }
    count += 1
    notes.append(Told(done: nil, text: text, at: now))
  }

  /// Returns true if there is something to write and the interval has passed since the last write.
  func isDue(_ now: Instant) -> Bool {
    !isEmpty && (written.map { now - $0 >= Self.interval } ?? true)
  }

  /// True if there are no notes, no progress and no suppressed notes to write.
  var isEmpty: Bool { progress == nil && notes.isEmpty && leftOut == 0 }

  /// Removes and returns the buffered notes and the latest progress, in the order in which they were
  /// recorded.
  mutating func take(_ now: Instant) -> [JobNote] {
    var told = notes
    if let progress {
      told.insert(progress, at: told.firstIndex { $0.at > progress.at } ?? told.endIndex)
    }
    if leftOut > 0 { told.append(Told(done: nil, text: "(\(leftOut) more notes were dropped)", at: now)) }
    (progress, notes, leftOut, written) = (nil, [], 0, now)
    return told.map { JobNote(done: $0.done, text: $0.text, age: max(.zero, now - $0.at)) }
  }

  /// Returns the text without NUL characters, cut to the permitted length; nil if nothing is left.
  private static func short(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    // PostgreSQL counts code points and rejects NUL characters.
    let scalars = text.unicodeScalars.lazy.filter { $0 != "\0" }
    guard scalars.prefix(longest + 1).count > longest else {
      let text = String(String.UnicodeScalarView(scalars))
      return text.isEmpty ? nil : text
    }
    return String(String.UnicodeScalarView(scalars.prefix(longest - 1))) + "…"
  }
}
