internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The result of the first pass over a file, which writes nothing.
struct ImportSurvey: Sendable {
  /// The number of lines that can be imported.
  var good: Int { identities.count }
  private(set) var refused: [RefusedLine] = []
  private(set) var unread: [UnreadValue] = []
  /// The names in the cells of each target, in the order of the targets; empty for a target that is not a
  /// reference.
  private(set) var named: [[String: NameUse]]
  /// The identities of the good lines, in the order of the file.
  private(set) var identities: [LineIdentity] = []
  /// The names of the good lines in another system; empty if the file has none.
  private(set) var references: [String?] = []
  /// The lines that equal an earlier one.
  private(set) var equal: [EqualLine] = []
  /// The lines that repeat the name of an earlier line in another system; they are refused.
  private(set) var repeated: Set<Int> = []
  /// The instants in columns of dates.
  private(set) var instants: Set<Instant> = []
  /// The local times of cells without an offset, as if they were in UTC.
  private(set) var localTimes: Set<Instant> = []
  /// The number of the last line that can be imported.
  private(set) var lastGood = 0
  /// The form of the file.
  private(set) var form = FileForm()
  /// The lines that can be imported; nil for a large file, which is read again.
  private var lines: [ImportLine]? = []

  /// The most bytes of a file whose lines are kept. They need about twenty times as much memory.
  private static let largestKept = 2_000_000

  /// Reads a file, finds out its notation, and sets it in the reader.
  ///
  /// - Parameters:
  ///   - user: the acting member; nil for an operator, and for a reading whose identities nobody uses.
  ///   - findsFormer: true if the company has records that an earlier import may have made.
  /// - Throws: `invalid_import` if the notation of a column is not certain.
  init(_ reader: inout ImportReader, company: UUID, user: UUID? = nil, findsFormer: Bool) throws {
    var evidence = reader.evidence
    var survey = try ImportSurvey(reading: reader, company, user, findsFormer) { evidence.take($0) }
    // Most files have the notation that the first reading assumes.
    let found = try reader.notations(of: evidence)
    if found != reader.notations {
      reader.notations = found
      survey = try ImportSurvey(reading: reader, company, user, findsFormer) { _ in }
    }
    survey.instants = evidence.instants
    // Their values are known only in the company's time zone.
    if !survey.instants.isEmpty || !survey.localTimes.isEmpty { survey.lines = nil }
    self = survey
  }

  /// Reads a file, finds out its notation and what its times mean in the company's time zone, and sets both in the reader.
  ///
  /// - Throws: as ``init(_:company:user:findsFormer:)``.
  static func of(
    _ reader: inout ImportReader,
    _ acting: ActingContext,
    findsFormer: Bool,
    _ database: Database
  ) async throws -> ImportSurvey {
    let (company, user) = (acting.company.id, acting.user)
    let survey = try ImportSurvey(&reader, company: company, user: user, findsFormer: findsFormer)
    let given = reader.givenTimes
    let instants = survey.instants.union(given.instants)
    let localTimes = survey.localTimes.union(given.local)
    guard !instants.isEmpty || !localTimes.isEmpty else { return survey }
    let times = try await CompanyTimes.read(instants, localTimes, acting, database)
    reader.setTimes(times)
    // A time that the clocks skipped refuses its line.
    return times.hasSkipped ? try ImportSurvey(reading: reader, company, user, findsFormer) { _ in } : survey
  }

  /// Passes the lines that can be imported to a body, in the order of the file.
  ///
  /// - Parameter reader: the reader of this survey, with the meaning of its times.
  func forEachLine(_ reader: ImportReader, _ body: (ImportLine) throws -> Void) throws {
    guard let lines else {
      try reader.read { line in
        if !repeated.contains(line.line) { try body(line) }
      } bad: { _ in
      }
      return
    }
    for line in lines { try body(line) }
  }

  private init(
    reading reader: ImportReader,
    _ company: UUID,
    _ user: UUID?,
    _ findsFormer: Bool,
    seen: (ImportRow) -> Void
  ) throws {
    let isReference = reader.targets.map(\.isReference)
    let key = reader.externalKey
    var firsts: [String: Int] = [:]
    var identities = reader.identities(company, user, findsFormer: findsFormer)
    named = reader.targets.map { _ in [:] }
    var bytes = 0
    form = try reader.read(seen: seen) { line in
      if let key, let name = line.cells[key], let first = firsts.updateValue(line.line, forKey: name) {
        repeated.insert(line.line)
        refused.append(
          RefusedLine(
            line: line.line,
            reason: "\(reader.targets[key].column.name): \(Quoted(name)) is in line \(first) too",
            code: .alreadyExists,
            source: line.source
          )
        )
        return
      }
      if let key { references.append(line.cells[key]) }
      let (identity, first) = identities.next(line)
      self.identities.append(identity)
      if let first, line.id == nil { equal.append(EqualLine(line: line.line, first: first)) }
      bytes += line.source.count
      if bytes > Self.largestKept { self.lines = nil } else { self.lines?.append(line) }
      unread += line.unread
      localTimes.formUnion(line.localTimes)
      lastGood = line.line
      for (index, name) in line.cells.enumerated() where isReference[index] {
        if let name { named[index][name, default: NameUse(line: line.line)].take(line) }
      }
    } bad: {
      refused.append($0)
    }
  }
}

extension NameUse {
  fileprivate mutating func take(_ line: ImportLine) {
    count += 1
    if line.unread.isEmpty { isReadable = true }
  }
}
