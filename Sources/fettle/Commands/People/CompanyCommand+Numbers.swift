internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension CompanyCommand {
  struct Numbers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or set how records are numbered",
      scope: .namedCompany,
      discussion: """
        A format is a prefix followed by {n}, the counter. Changes apply to new
        records; existing numbers stay. Counters only grow.

        Examples:
          fettle company numbers acme
          fettle company numbers acme maintenance.entry --format "SRV-{n}"
          fettle company numbers acme maintenance.entry --next 5000
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @Argument(help: "Record type to show or change (default: all)") var type: String?
    @Option(help: ArgumentHelp("Format of new numbers", valueName: "prefix{n}")) var format: String?
    @Option(help: ArgumentHelp("Lowest counter for new records", valueName: "n")) var next: Int64?

    func validate() throws {
      if type == nil, format != nil || next != nil {
        throw ValidationError("--format and --next require a record type, such as maintenance.entry")
      }
    }

    func run() async throws {
      try await company.withActingContext { services, acting in
        let series = NumberSeries(services, try await Records.open(services))
        if let type {
          let format = try format.map { try NumberFormat($0) }
          if format != nil || next != nil {
            try await series.set(acting, type: type, format: format, next: next)
          }
        }
        let rows = try await series.list(acting).filter { type == nil || $0.type == type }
        try output.print(
          Table(
            columns: [Column("type"), Column("format"), Column("own"), Column("next")],
            rows: rows.map { [.string($0.type), .string($0.format.text), .bool($0.isOwn), .string($0.next)] }
          )
        )
      }
    }
  }
}
