internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials

/// Logs hours; the day and the worker have defaults.
struct TimeAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Log hours that somebody worked on an entry.",
    discussion: """
      An end before the start is on the next day. Hours are what really passed where the company is.

      Examples:
        fettle time add WO-1003 --from 08:00 --to 16:30 --lunch -c acme --as ana
        fettle time add WO-1003 --from 22:00 --to 06:00 --guest "Per, hired" -c acme
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "The entry.") var entry: String
  @Option(help: ArgumentHelp("When the work began.", valueName: "HH:MM")) var from: String
  @Option(help: ArgumentHelp("When it ended.", valueName: "HH:MM")) var to: String
  @Option(
    help: ArgumentHelp("The day it began; default: today, where the company is.", valueName: "yyyy-mm-dd")
  )
  var date: String?
  @Flag(help: "Half an hour went for lunch.") var lunch = false
  @Option(help: "The member who worked; default: the one of --as.") var worker: String?
  @Option(help: "Somebody without an account who worked.") var guest: String?

  func validate() throws {
    if worker != nil, guest != nil { throw ValidationError("--worker and --guest exclude each other") }
  }

  func run() async throws {
    var fields: JSONObject = [
      "entry_id": .string(entry), "start_time": .string(from), "end_time": .string(to),
      "lunch_break_deducted": .bool(lunch),
    ]
    let (today, acting) = try await options.company.withActingContext { services, acting in
      (try await Calendar(services).today(acting), acting.user)
    }
    fields["work_date"] = .string(date ?? today)
    if let guest {
      fields["user_name"] = .string(guest)
    } else if let worker {
      fields["user_id"] = .string(worker)
    } else if let acting {
      fields["user_id"] = .string(acting.text)
    }
    try await RecordActions(options: options, type: "maintenance.time_entry").create(change, fields)
  }
}
