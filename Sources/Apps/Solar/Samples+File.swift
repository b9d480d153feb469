package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Store

/// The headings of a file's columns, in any case. The defaults are the headings of `fettle solar sample list`.
package struct SampleColumns: Sendable {
  /// Heading of the time.
  package var takenAt = "taken_at"
  /// Heading of the power in kW.
  package var inverterKW = "inverter_kw"
  /// Heading of the meter's reading in kWh.
  package var meterKWh = "meter_kwh"
  /// Heading of the first reading of a new counter in kWh.
  package var firstKWh = "first_kwh"
  /// Heading of the mark of a new counter, which begins with the reading of its line.
  package var isReset = "is_reset"
  /// The headings that the file must have, because somebody named them.
  private(set) var stated: Set<String> = []

  package init() {}

  var headings: Set<String> { [takenAt, inverterKW, meterKWh, firstKWh, isReset] }

  /// Creates the headings from pairs of column and heading, such as `meter_kwh` and `Zähler`. Other columns
  /// keep their default.
  ///
  /// - Throws: `unknown_fields` for a column that samples do not have.
  package init(_ pairs: [(String, String)]) throws {
    for (column, heading) in pairs {
      stated.insert(heading)
      switch column {
      case "taken_at": takenAt = heading
      case "inverter_kw": inverterKW = heading
      case "meter_kwh": meterKWh = heading
      case "first_kwh": firstKWh = heading
      case "is_reset": isReset = heading
      default:
        throw DomainError(
          .unknownFields,
          "a sample has no \(Quoted(column))",
          hint: "use one of: taken_at, inverter_kw, meter_kwh, first_kwh, is_reset"
        )
      }
    }
  }
}

extension Samples {
  /// Imports samples from a CSV file in one transaction: all of them, or with `skipsBad` all valid ones.
  /// Existing samples are kept. The file is read twice, first for the notation of its numbers. A time without an offset
  /// is the site's local time, as ``SiteClock`` reads it.
  ///
  /// - Parameters:
  ///   - notation: the notation of numbers, as far as it is stated.
  ///   - skipsBad: true to return invalid lines in the outcome instead of throwing.
  ///   - dryRun: true to roll back after counting.
  ///   - progress: called with the number of processed lines.
  /// - Throws: `invalid_import` with the invalid lines, `unknown_fields` for missing columns and for headings that were
  ///   named and do not occur, `not_found` for a missing site.
  package func read(
    _ acting: ActingContext,
    site: UUID,
    path: String,
    layout: FileLayout = FileLayout(),
    columns: SampleColumns = SampleColumns(),
    notation: StatedNotation = .none,
    skipsBad: Bool = false,
    dryRun: Bool = false,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> SampleOutcome {
    let file = try SpooledFile(path)
    defer { file.close() }
    let settled = try layout.settled(for: file.path) {
      CSVFile.place(of: columns.takenAt, among: Array($0)) != nil
    }
    let csv = CSVFile(path: file.path, layout: settled)
    let notations = try csv.notations(
      of: [columns.inverterKW, columns.meterKWh, columns.firstKWh],
      stated: notation
    )
    return try await writing(
      acting,
      site: site,
      permission: "solar.sample.create",
      dryRun: dryRun,
      statementTimeout: .seconds(600)
    ) { tx, now in
      var insert = SampleInsert(company: acting.company.id, site: site, now: now)
      let clock = try Self.clock(of: site, acting, now: now, tx)
      var reader = SampleReader(columns, notations, clock: clock)
      var refused: [RefusedLine] = []
      var lines = 0
      let form = try csv.read(taken: columns.headings) {
        try reader.begin($0)
      } record: { line in
        do {
          if let fault = line.fault { throw DomainError(.invalidImport, fault) }
          if let sample = try reader.sample(line) { try insert.take(sample, tx) }
        } catch let error as DomainError {
          refused.append(RefusedLine(line: line.line, reason: error.message, source: line.source))
        }
        lines += 1
        if lines % Self.batchSize == 0 { progress(lines) }
      }
      if !skipsBad, let first = refused.first {
        let more = refused.count > 1 ? ", and \(refused.count - 1) more lines" : ""
        throw DomainError(
          .invalidImport,
          "line \(first.line): \(first.reason)\(more); nothing was imported",
          hint: "correct the file, or import the other lines with `--skip-bad FILE`",
          details: ["lines": .array(refused.prefix(100).map { .integer($0.line) })]
        )
      }
      var outcome = try insert.finish(tx)
      outcome.refused = refused
      outcome.form = form
      progress(lines)
      let detail: JSONObject = [
        "added": .integer(outcome.added), "already_there": .integer(outcome.alreadyThere),
        "refused": .integer(refused.count),
      ]
      return (outcome, [Self.audit("solar.sample.imported", site, detail)])
    }
  }

  private static func clock(of site: UUID, _ acting: ActingContext, now: Instant, _ tx: Transaction) throws
    -> SiteClock
  {
    let zone = try tx.value(
      "select t.timezone from solar.site t where t.company_id = \(acting.company.id) and t.id = \(site)",
      as: String.self
    )
    let first = try Instant(parsing: "\(SiteClock.firstYear)-01-01T00:00:00Z")
    // Some days more than until now, for clocks that are ahead.
    let days = first.microseconds(until: now) / 86_400_000_000 + 4
    let offsets = try ZoneOffsets.read(
      zone,
      from: first,
      days: Int(days),
      tx
    )
    return SiteClock(zone: zone, offsets: offsets)
  }
}

/// Parses the records of a CSV file as samples; the first record is the heading.
private struct SampleReader {
  /// The maximum decimals of power and meter reading.
  private static let decimals = 3

  private let columns: SampleColumns
  private let notations: [String: ColumnNotation]
  private var places: Places?
  private var clock: SiteClock

  /// The positions of the columns in the file.
  private struct Places {
    let time: Int
    let power: Int?
    let energy: Int?
    let first: Int?
    let reset: Int?
  }

  /// - Parameter notations: the notations of numbers, by heading.
  init(_ columns: SampleColumns, _ notations: [String: ColumnNotation], clock: SiteClock) {
    self.columns = columns
    self.notations = notations
    self.clock = clock
  }

  /// Parses the headings.
  ///
  /// - Throws: `unknown_fields` without a column for the time, without any for power and meter reading, or without one
  ///   that was named.
  mutating func begin(_ headings: [String]) throws(DomainError) {
    places = try Self.places(columns, in: headings)
  }

  /// Returns the sample of a record; nil before ``begin(_:)``.
  ///
  /// - Throws: `bad_timestamp` without a valid time, or an error of ``SolarSample``.
  mutating func sample(_ record: CSVRecord) throws(DomainError) -> SolarSample? {
    guard let places else { return nil }
    func cell(_ index: Int?) -> String? {
      guard let index else { return nil }
      let text = record.fields[index].trimmingSpaces()
      return text.isEmpty ? nil : text
    }
    guard let time = cell(places.time) else {
      throw DomainError(.badTimestamp, "the line has no time")
    }
    let moment = try clock.instant(time)
    let reading = try number(cell(places.energy), columns.meterKWh)
    let isReset = try Self.isMarked(cell(places.reset))
    return try SolarSample(
      takenAt: moment,
      inverterKW: try number(cell(places.power), columns.inverterKW),
      meterKWh: reading,
      firstKWh: try number(cell(places.first), columns.firstKWh) ?? (isReset ? reading : nil)
    )
  }

  private func number(_ text: String?, _ heading: String) throws(DomainError) -> ExactDecimal? {
    guard let text else { return nil }
    let notation = notations[heading] ?? ColumnNotation()
    return try ExactDecimal(parsing: notation.number(text, decimals: Self.decimals))
  }

  private static func isMarked(_ text: String?) throws(DomainError) -> Bool {
    switch text?.lowercased() {
    case nil, "false", "no", "0": return false
    case "true", "yes", "1": return true
    default:
      throw DomainError(
        .invalidInput,
        "\(Quoted(text ?? "")) does not say whether the counter is new",
        hint: "write true or false"
      )
    }
  }

  private static func places(
    _ columns: SampleColumns,
    in headings: [String]
  ) throws(DomainError) -> Places {
    func missing(_ heading: String) -> DomainError {
      DomainError(
        .unknownFields,
        "the file has no column \(Quoted(heading))",
        hint: "map its columns with --map; they are: \(headings.joined(separator: ", "))"
      )
    }
    func place(_ heading: String) throws(DomainError) -> Int? {
      let place = CSVFile.place(of: heading, among: headings)
      if place == nil, columns.stated.contains(heading) { throw missing(heading) }
      return place
    }
    guard let time = try place(columns.takenAt) else { throw missing(columns.takenAt) }
    let power = try place(columns.inverterKW)
    let energy = try place(columns.meterKWh)
    guard power != nil || energy != nil else { throw missing(columns.meterKWh) }
    return Places(
      time: time,
      power: power,
      energy: energy,
      first: try place(columns.firstKWh),
      reset: try place(columns.isReset)
    )
  }
}
