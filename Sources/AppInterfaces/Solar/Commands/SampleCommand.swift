internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal

extension SolarCommand {
  struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sample",
      abstract: "Manage samples of inverter and meter",
      discussion: "Example: fettle solar sample import Roof readings.csv -c acme",
      subcommands: [List.self, Add.self, Import.self, Fix.self, Reset.self, Remove.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List samples of a site, newest first",
        scope: .company,
        discussion: "Example: fettle solar sample list Roof --limit 5 -c acme"
      )
      @OptionGroup var options: RecordOptions
      @Argument(
        help: "Name or id of the site",
        completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
      ) var site: String
      @Option(help: ArgumentHelp("Only samples before this time", valueName: "time")) var before: String?
      @Option(help: "Maximum number of rows") var limit = 100

      func run() async throws {
        let moment = try before.map { text in try Instant(parsing: text) }
        try await options.onSite(site) { samples, acting, id in
          let rows = try await samples.list(acting, site: id, before: moment, limit: limit)
          try options.output.print(
            Table(
              columns: [
                Column("taken_at", kind: .instant), Column("inverter_kw", kind: .number),
                Column("meter_kwh", kind: .number), Column("first_kwh", kind: .number),
              ],
              rows: rows.map {
                [Cell($0.takenAt), .figure($0.inverterKW), .figure($0.meterKWh), .figure($0.firstKWh)]
              }
            )
          )
        }
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add a sample",
        scope: .company,
        discussion: """
          Repeating a sample adds nothing. A stored sample with other numbers is kept; replace it with \
          `fettle solar sample fix`.

          Example:
            fettle solar sample add Roof --at 2026-03-28T12:00:00Z --kw 4.2 --kwh 18230
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var numbers: SampleOptions
      @Argument(
        help: "Name or id of the site",
        completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
      ) var site: String

      func run() async throws {
        let sample = try numbers.sample()
        try await options.onSite(site) { samples, acting, id in
          try options.report(try await samples.add(acting, site: id, [sample]))
        }
      }
    }

    struct Fix: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Correct a wrong sample",
        scope: .company,
        discussion: """
          Numbers that are not given stay as they are; an empty one is removed. A sample that was the first of a new \
          counter stays so, unless --no-reset is given. The audit keeps the former numbers. The energy of the day is \
          recomputed.

          Examples:
            fettle solar sample fix Roof --at 2026-03-28T12:00:00Z --kwh 18230
            fettle solar sample fix Roof --at 2026-03-28T12:00:00Z --kw ''
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var key: AdministrationOptions
      @OptionGroup var numbers: SampleOptions
      @Argument(
        help: "Name or id of the site",
        completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
      ) var site: String

      func run() async throws {
        let correction = try numbers.correction()
        try await options.changeSite(site, key) { samples, acting, id in
          let (old, new) = try await samples.correct(acting, site: id, correction)
          let values: [(name: String, old: String?, new: String?)] = [
            ("inverter_kw", old?.inverterKW, new.inverterKW?.text),
            ("meter_kwh", old?.meterKWh, new.meterKWh?.text),
            ("first_kwh", old?.firstKWh, new.firstKWh?.text),
          ]
          var sentence = "\(old == nil ? "added" : "corrected") the sample of \(new.takenAt)"
          var fields: [(Column, Cell)] = [
            (Column("taken_at"), .string(new.takenAt.rfc3339)), (Column("replaced"), .bool(old != nil)),
          ]
          for value in values {
            if old != nil, value.old != value.new {
              sentence += ", \(value.name) from \(value.old ?? "none") to \(value.new ?? "none")"
            }
            fields.append((Column("old_\(value.name)"), .figure(value.old)))
            fields.append((Column(value.name), .figure(value.new)))
          }
          return ChangeReport(sentence, fields)
        }
      }
    }

    struct Reset: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Say that the counter was reset or replaced",
        scope: .company,
        discussion: """
          Marks a stored sample as the first of a new counter: what lies between it and the sample before does not \
          count, but for what the new counter counted since --first-kwh.

          Examples:
            fettle solar sample reset Roof --at 2026-06-10T10:05:00Z -c acme
            fettle solar sample reset Roof --at 2026-06-10T10:05:00Z --first-kwh 0
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var key: AdministrationOptions
      @Argument(
        help: "Name or id of the site",
        completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
      ) var site: String
      @Option(help: ArgumentHelp("Time of the first sample of the new counter", valueName: "time")) var at:
        String
      @Option(
        help: ArgumentHelp("First reading of the new counter (default: the sample's)", valueName: "number")
      )
      var firstKwh: String?

      func run() async throws {
        let moment = try Instant(parsing: at)
        let first = try firstKwh.map { text in try ExactDecimal(parsing: text) }
        try await options.changeSite(site, key) { samples, acting, id in
          let began = try await samples.mark(acting, site: id, at: moment, first: first)
          return ChangeReport(
            "a new counter begins at \(moment.rfc3339) with \(began) kWh",
            [
              (Column("taken_at"), .string(moment.rfc3339)),
              (Column("first_kwh", kind: .number), .figure(began)),
            ]
          )
        }
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Remove wrong samples",
        scope: .company,
        discussion: """
          Example:
            fettle solar sample remove Roof --from 2026-03-28T12:00:00Z
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var key: AdministrationOptions
      @Argument(
        help: "Name or id of the site",
        completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
      ) var site: String
      @Option(help: ArgumentHelp("Time of the first sample", valueName: "time")) var from: String
      @Option(help: ArgumentHelp("Time of the last sample (default: --from)", valueName: "time"))
      var through: String?

      func run() async throws {
        let first = try Instant(parsing: from)
        let last = try through.map { text in try Instant(parsing: text) } ?? first
        try await options.changeSite(site, key) { samples, acting, id in
          let count = try await samples.remove(acting, site: id, from: first, through: last)
          return ChangeReport(
            "removed \(Figures.grouped(count)) \(count == 1 ? "sample" : "samples")",
            [(Column("removed"), .integer(count))]
          )
        }
      }
    }
  }
}

/// The time and the numbers of one sample.
struct SampleOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Time of the sample", valueName: "time")) var at: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Power of the inverter in kW; negative if it draws power", valueName: "number")
  )
  var kw: String?
  @Option(help: ArgumentHelp("Meter reading in kWh", valueName: "number")) var kwh: String?
  @Flag(inversion: .prefixedNo, help: "Record whether the counter was reset or replaced before") var reset:
    Bool?
  @Option(help: ArgumentHelp("First reading of the new counter (default: --kwh)", valueName: "number"))
  var firstKwh: String?

  func validate() throws {
    if reset == false, firstKwh != nil {
      throw ValidationError("--no-reset and --first-kwh cannot be combined")
    }
  }

  /// Returns the sample to add.
  func sample() throws -> SolarSample {
    let reading = try kwh.map { text in try ExactDecimal(parsing: text) }
    let first = try firstKwh.map { text in try ExactDecimal(parsing: text) }
    return try SolarSample(
      takenAt: moment(),
      inverterKW: try kw.map { text in try ExactDecimal(parsing: text) },
      meterKWh: reading,
      firstKWh: first ?? (reset == true ? reading : nil)
    )
  }

  /// Returns the correction of a stored sample.
  func correction() throws -> SampleCorrection {
    let first = try firstKwh.map { text in try ExactDecimal(parsing: text) }
    return try SampleCorrection(
      takenAt: moment(),
      inverterKW: Self.change(kw),
      meterKWh: Self.change(kwh),
      mark: reset == false ? .removed : reset == true || first != nil ? .begins(first) : .kept
    )
  }

  private static func change(_ text: String?) throws -> SampleCorrection.Number {
    guard let text else { return .kept }
    return text.isEmpty ? .removed : .replaced(try ExactDecimal(parsing: text))
  }

  private func moment() throws -> Instant {
    do {
      return try Instant(parsing: at)
    } catch {
      throw DomainError(.badTimestamp, error.message)
    }
  }
}

extension RecordOptions {
  /// Runs a command's body with the samples of a site given by name.
  func onSite(_ name: String, _ body: (Samples, ActingContext, UUID) async throws -> Void) async throws {
    try await company.withActingContext { services, acting in
      let id = try await Records.open(services).resolve(acting, type: "solar.site", name)
      try await body(Samples(services), acting, id)
    }
  }

  /// Runs a command that changes the samples of a site given by name, once for its idempotency key.
  func changeSite(
    _ name: String,
    _ key: AdministrationOptions,
    _ body: (Samples, ActingContext, UUID) async throws -> ChangeReport
  ) async throws {
    try await key.change(company, output) { services, acting in
      let id = try await Records.open(services).resolve(acting, type: "solar.site", name)
      return try await body(Samples(services), acting, id)
    }
  }

  /// Reports the result of writing samples.
  func report(_ outcome: SampleOutcome, dryRun: Bool = false) throws {
    var sentence = "\(dryRun ? "would have " : "")added \(Figures.grouped(outcome.added)) samples"
    if outcome.alreadyThere > 0 {
      sentence += ", \(Figures.grouped(outcome.alreadyThere)) existed already"
    }
    if outcome.differing > 0 {
      sentence += ", \(Figures.grouped(outcome.differing)) of them with other numbers, which are kept"
    }
    try output.report(
      sentence,
      [
        (Column("added"), .integer(outcome.added)), (Column("already_there"), .integer(outcome.alreadyThere)),
        (Column("differing"), .integer(outcome.differing)),
        (Column("refused"), .integer(outcome.refused.count)),
      ]
    )
  }
}
