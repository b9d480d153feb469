internal import Store

/// What a job has told and nobody has written down yet.
///
/// A job may tell as much as it likes: it costs it nothing, and the database a statement a second. Of progress only
/// the last is kept until then; of notes so many, and what is beyond is counted and said.
struct NoteBuffer: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How many notes are kept until they are written.
  static let mostAtOnce = 100
  /// How many notes an attempt has altogether.
  static let most = 1_000
  /// How often they are written.
  static let interval: Duration = .seconds(1)
  /// As long as a note may be in the database.
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

  /// Notes how far the job is.
  mutating func progress(_ done: Double, _ text: String?, at now: Instant) {
    guard done.isFinite else { return }
    progress = Told(done: min(1, max(0, done)), text: Self.short(text), at: now)
  }

  /// Notes what the job says.
  mutating func note(_ text: String, at now: Instant) {
    guard let text = Self.short(text) else { return }
    guard notes.count < Self.mostAtOnce, count < Self.most else {
      leftOut += 1
      return
    }
    count += 1
    notes.append(Told(done: nil, text: text, at: now))
  }

  /// Whether there is something to be written, and it is time.
  func isDue(_ now: Instant) -> Bool {
    !isEmpty && (written.map { now - $0 >= Self.interval } ?? true)
  }

  var isEmpty: Bool { progress == nil && notes.isEmpty && leftOut == 0 }

  /// Takes out what is to be written, in the order in which it was told.
  mutating func take(_ now: Instant) -> [JobNote] {
    var told = notes
    if let progress {
      told.insert(progress, at: told.firstIndex { $0.at > progress.at } ?? told.endIndex)
    }
    if leftOut > 0 { told.append(Told(done: nil, text: "(\(leftOut) notes more were left out)", at: now)) }
    (progress, notes, leftOut, written) = (nil, [], 0, now)
    return told.map { JobNote(done: $0.done, text: $0.text, age: max(.zero, now - $0.at)) }
  }

  /// Nil for what says nothing.
  private static func short(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    // The database counts code points and refuses null.
    let scalars = text.unicodeScalars.lazy.filter { $0 != "\0" }
    guard scalars.prefix(longest + 1).count > longest else {
      let text = String(String.UnicodeScalarView(scalars))
      return text.isEmpty ? nil : text
    }
    return String(String.UnicodeScalarView(scalars.prefix(longest - 1))) + "…"
  }
}
