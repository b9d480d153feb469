internal import Store

/// The notes and progress of a job that are not yet written.
///
/// Notes are buffered without cost to the job, and written at most once a second. Only the latest progress is
/// kept. The number of notes is limited; notes beyond the limit are suppressed, and their number is written.
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
  private var count = 0
  private var leftOut = 0
  private var written: Instant?

  /// Records the progress of the job, a share between 0 and 1.
  mutating func progress(_ done: Double, _ text: String?, at now: Instant) {
    guard done.isFinite else { return }
    progress = Told(done: min(1, max(0, done)), text: Self.short(text), at: now)
  }

  /// Records a note, or counts it as suppressed if the buffer or the attempt is at its limit.
  mutating func note(_ text: String, at now: Instant) {
    guard let text = Self.short(text) else { return }
    guard notes.count < Self.mostAtOnce, count < Self.most else {
      leftOut += 1
      return
    }
    count += 1
    notes.append(Told(done: nil, text: text, at: now))
  }

  /// Returns true if there are notes to write and the interval has passed.
  func isDue(_ now: Instant) -> Bool {
    !isEmpty && (written.map { now - $0 >= Self.interval } ?? true)
  }

  var isEmpty: Bool { progress == nil && notes.isEmpty && leftOut == 0 }

  /// Removes and returns the buffered notes, in the order in which they were recorded.
  mutating func take(_ now: Instant) -> [JobNote] {
    var told = notes
    if let progress {
      told.insert(progress, at: told.firstIndex { $0.at > progress.at } ?? told.endIndex)
    }
    if leftOut > 0 { told.append(Told(done: nil, text: "(\(leftOut) notes more were left out)", at: now)) }
    (progress, notes, leftOut, written) = (nil, [], 0, now)
    return told.map { JobNote(done: $0.done, text: $0.text, age: max(.zero, now - $0.at)) }
  }

  /// Returns the text in the permitted length; nil if it is empty.
  private static func short(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    // The database counts code points and rejects NUL characters.
    let scalars = text.unicodeScalars.lazy.filter { $0 != "\0" }
    guard scalars.prefix(longest + 1).count > longest else {
      let text = String(String.UnicodeScalarView(scalars))
      return text.isEmpty ? nil : text
    }
    return String(String.UnicodeScalarView(scalars.prefix(longest - 1))) + "…"
  }
}
