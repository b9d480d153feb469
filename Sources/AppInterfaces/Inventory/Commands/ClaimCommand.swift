internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct ClaimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claim",
    abstract: "Manage warranty claims",
    discussion: """
      Examples:
        fettle claim add Drill "Motor smokes" --remedy repair -c home --as ana
        fettle claim do submit 01a1… --company home --as ana
      """,
    subcommands: [List.self, Show.self, Add.self, Do.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List claims, newest first",
      scope: .company,
      discussion: "Example: fettle claim list --company home --where status=submitted"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Maximum number of rows") var limit = 100

    func run() async throws {
      var query = RecordQuery()
      query.limit = limit
      try await RecordActions(options: options, type: "inventory.claim").list(
        query,
        columns: ["item_name", "status", "in_warranty", "issue", "reference", "submitted_at", "id"]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a claim and its allowed actions",
      scope: .company,
      discussion: "Example: fettle claim show 01a1… --company home"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Reference or id of the claim, or the beginning of the id") var claim: String

    func run() async throws { try await RecordActions(options: options, type: "inventory.claim").show(claim) }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Draft a warranty claim on an item",
      scope: .company,
      discussion: "Example: fettle claim add Drill \"Motor smokes\" --remedy repair -c home"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Name or id of the item") var item: String
    @Argument(help: "Description of the fault") var issue: String
    @Option(help: "Remedy: repair, replace or refund") var remedy: String?
    @Option(help: "Contact for the vendor") var contact: String?
    @Option(help: "The vendor's case number") var reference: String?
    @OptionGroup var others: FieldPairs

    func run() async throws {
      var fields: JSONObject = ["item_id": .string(item), "issue": .string(issue)]
      for (column, value) in [("requested_remedy", remedy), ("contact", contact), ("reference", reference)] {
        if let value { fields[column] = .string(value) }
      }
      try await RecordActions(options: options, type: "inventory.claim")
        .create(change, try others.object(with: fields))
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Perform a transition on a claim",
      scope: .company,
      discussion: """
        Examples:
          fettle claim do submit 01a1… --company home --as ana
          fettle claim do reject 01a1… --comment "No receipt" -c home --as eva
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Transition: submit, approve, reject, appeal or close") var transition: String
    @Argument(help: "Reference or id of the claim") var claim: String
    @OptionGroup var request: TransitionOptions

    func run() async throws {
      try await RecordActions(options: options, type: "inventory.claim")
        .transition(change, claim, try request.request(transition))
    }
  }
}
