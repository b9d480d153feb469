internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Logs hours, with defaults for the day and the worker.
struct TimeAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Log hours worked on an entry",
    scope: .company,
    discussion: """
      An end before the start is on the next day. Without --date, the hours are the last ones that are over: of today, \
      or of yesterday. Hours in the future, and hours that overlap others of the same person, are refused. Times are in the company's time zone, and hours are elapsed \
      time, also across a clock change.

      Examples:
        fettle time add WO-1003 --from 08:00 --to 16:30 --lunch -c acme --as ana
        fettle time add WO-1003 --from 22:00 --to 06:00 --guest "Per, hired" -c acme
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(
    help: "Number or id of the entry",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
  ) var entry: String
  @Option(help: ArgumentHelp("Start of the work", valueName: "HH:MM")) var from: String
  @Option(help: ArgumentHelp("End of the work", valueName: "HH:MM")) var to: String
  @Option(
    help: ArgumentHelp("Day on which the work began (default: the last possible)", valueName: "yyyy-mm-dd")
  )
  var date: String?
  @Flag(help: "Deduct half an hour for lunch") var lunch = false
  @Option(
    help: "Member who worked (default: the member of --as)",
    completion: .custom { words, _, _ in await LiveCompletion.members(words) }
  ) var worker: String?
  @Option(help: "Name of a worker without an account") var guest: String?
  @OptionGroup var others: FieldPairs

  func validate() throws {
    if worker != nil, guest != nil { throw ValidationError("--worker and --guest cannot be combined") }
  }

  func run() async throws {
    let last = date == nil ? try await lastDay() : nil
    var given: JSONObject = [
      "entry_id": .string(entry), "start_time": .string(from), "end_time": .string(to),
    ]
    for (column, value) in [("work_date", date), ("user_name", guest), ("user_id", worker)] {
      if let value { given[column] = .string(value) }
    }
    if lunch { given["has_lunch"] = true }
    let fields = try others.object(with: given, otherwise: ["has_lunch": false])
    let isGuessed = fields["work_date"] == nil
    let byClock: Set<String> = isGuessed ? ["work_date"] : []
    let actions = RecordActions(options: options, type: "maintenance.time_entry")
    try await actions.create(change, byClock: byClock) { opening in
      var fields = fields
      if isGuessed { fields["work_date"] = .string(last?.day ?? opening.rights.access.today.description) }
      let isNamed = ["user_name", "user_id", "user"].contains { fields[$0] != nil }
      if !isNamed, let user = opening.acting.user { fields["user_id"] = .string(user.text) }
      return fields
    }
    guard isGuessed, let last, last.isYesterday, options.output.isForPeople else { return }
    Message.tell("the hours are of \(last.day), since \(to) has not come today; another day: --date")
  }

  /// Returns the last day on which work at these times has ended, and whether it is yesterday; nil if a time is not valid.
  private func lastDay() async throws -> (day: String, isYesterday: Bool)? {
    guard let start = try? LocalTime(parsing: from), let end = try? LocalTime(parsing: to) else { return nil }
    let later: Int32 = end < start ? 1 : 0
    return try await options.company.withActingContext { services, acting in
      try await services.database.rows(
        """
        select (l.today - l.is_yesterday::int)::text, l.is_yesterday
        from (
          select n.now::date as today, n.now::date + \(later) + \(end) > n.now + interval '5 minutes' as is_yesterday
          from (select now() at time zone \(acting.company.timeZone) as now) n
        ) l
        """,
        String.self,
        Bool.self
      ).first.map { (day: $0, isYesterday: $1) }
    }
  }
}
