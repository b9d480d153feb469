internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct ItemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "item",
    abstract: "Manage the items of a household and their warranties",
    discussion: """
      Examples:
        fettle item add Drill --category Tools --bought 2026-01-31 --months 24 \\
          -c home --as ana
        fettle item list --collection expiring --company home
      """,
    subcommands: [List.self, Show.self, Add.self, Update.self, ItemCategoryCommand.self],
    defaultSubcommand: List.self
  )

  static let columns = [
    "name", "category", "location", "purchase_date", "purchase_price", "currency", "warranty_status",
    "days_remaining", "id",
  ]

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List items, newest purchase first",
      scope: .company,
      discussion: """
        Examples:
          fettle item list --company home --search drill
          fettle item list --collection category:tools --company home
        """
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Only items of this collection; see `fettle collection list`") var collection: String?
    @Option(help: "Only items that contain this text") var search: String?
    @Option(help: "Maximum number of rows") var limit = 100

    func run() async throws {
      var query = RecordQuery()
      if let collection {
        query = try await options.withInventory { services, records, acting in
          try await Collections(services, records).query(acting, collection)
        }
      }
      query.sort = "-purchase_date"
      query.search = search
      query.limit = limit
      try await RecordActions(options: options, type: "inventory.item").list(
        query,
        columns: ItemCommand.columns
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an item with its warranty",
      scope: .company,
      discussion: "Example: fettle item show Drill --company home"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name or id of the item, or the beginning of the id") var item: String

    func run() async throws { try await RecordActions(options: options, type: "inventory.item").show(item) }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an item",
      scope: .company,
      discussion: """
        Example:
          fettle item add Drill --category Tools --bought 2026-01-31 --months 24 \\
            --price 129.00 --tags garage,tool -c home --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Name of the item") var name: String
    @Option(help: "Category, such as Tools") var category: String
    @Option(help: ArgumentHelp("Date of purchase (default: today)", valueName: "yyyy-mm-dd"))
    var bought: String?
    @Option(help: "Duration of the warranty in months (default: 0)") var months: Int?
    @Option(help: ArgumentHelp("Last day of the warranty, instead of --months", valueName: "yyyy-mm-dd"))
    var warrantyUntil: String?
    @Option(help: "Purchase price") var price: String?
    @Option(help: "Currency of the price as ISO 4217 code (default: USD)") var currency: String?
    @Option(help: ArgumentHelp("Search tags (repeatable)", valueName: "a,b")) var tags: [String] = []
    @Option(help: "Place where the item is kept") var location: String?
    @OptionGroup var fields: FieldPairs

    func run() async throws {
      var object: JSONObject = ["name": .string(name), "category": .string(category)]
      let texts = [
        ("purchase_price", price), ("currency", currency), ("tags", tags.list), ("location", location),
      ]
      for (column, value) in texts { if let value { object[column] = .string(value) } }
      if let warrantyUntil { object["warranty_until"] = .string(warrantyUntil) }
      if let months { object["warranty_months"] = .integer(months) }
      if let bought { object["purchase_date"] = .string(bought) }
      let today = try await options.company.withActingContext { services, acting in
        try await Calendar(services).today(acting)
      }
      let given = try fields.object(with: object, otherwise: ["purchase_date": .string(today)])
      try await RecordActions(options: options, type: "inventory.item").create(change, given)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of an item",
      scope: .company,
      discussion: "Example: fettle item update Drill --set is_favorite=true -c home --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Name or id of the item") var item: String
    @OptionGroup var changes: FieldChanges

    func run() async throws {
      try await RecordActions(options: options, type: "inventory.item")
        .update(change, item, try changes.object(), version: changes.ifVersion)
    }
  }
}

struct ItemCategoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category",
    abstract: "Manage categories of items",
    discussion: "Example: fettle item category rename tols Tools --company home",
    subcommands: [List.self, Rename.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List categories with their number of items",
      scope: .company,
      discussion: "Example: fettle item category list --company home"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let labels = try await options.withInventory { try await ItemLabels($0, $1).categories($2) }
      try options.output.print(LabelTable.of(labels, "category"))
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rename a category on every item that has it",
      scope: .company,
      discussion: "Example: fettle item category rename tols Tools --merge --company home"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Current name of the category") var old: String
    @Argument(help: "New name of the category") var new: String
    @Flag(help: "Merge into an existing category of the new name") var merge = false

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let count = try await ItemLabels(services, try await Records.open(services)).renameCategory(
          acting,
          old,
          to: new,
          merging: merge
        )
        return ChangeReport("changed \(count) items", [(Column("changed"), .integer(count))])
      }
    }
  }
}
