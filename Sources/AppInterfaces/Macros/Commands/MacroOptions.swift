internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

/// Amounts in grams.
struct MacroAmountOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Protein", valueName: "grams")) var protein: String?
  @Option(help: ArgumentHelp("Carbohydrates", valueName: "grams")) var carbs: String?
  @Option(help: ArgumentHelp("Fat", valueName: "grams")) var fat: String?

  /// The given amounts, as the fields of a record.
  var fields: JSONObject {
    var fields: JSONObject = [:]
    for (column, value) in zip(MacroAmounts.columns, [protein, carbs, fat]) {
      if let value { fields[column] = .string(value) }
    }
    return fields
  }
}

extension RecordOptions {
  /// Runs a command's body with the macros of the acting member.
  func withMacros<Value>(_ body: (Macros, ActingContext) async throws -> Value) async throws -> Value {
    try await company.withActingContext { services, acting in
      try await body(Macros(services, try await Records.open(services)), acting)
    }
  }
}

extension Cell {
  /// Creates a cell with an exact number; nil becomes null.
  init(_ number: ExactDecimal?) {
    self = number.map { .number($0.description) } ?? .null
  }
}

/// Formats days and periods as tables.
enum MacroTables {
  static func days(_ days: [MacroDay]) -> Table {
    Table(
      columns: [Column("day"), Column("entries", kind: .number)]
        + ["protein_g", "carbs_g", "fat_g", "kcal", "goal_kcal", "kcal_percent"].map {
          Column($0, kind: .number)
        },
      rows: days.map {
        [
          .string($0.day.description), .integer($0.entries), Cell($0.protein.amount), Cell($0.carbs.amount),
          Cell($0.fat.amount), Cell($0.kcal.amount), Cell($0.kcal.goal), Cell($0.kcal.percent),
        ]
      }
    )
  }

  static func periods(_ periods: [MacroPeriod]) -> Table {
    Table(
      columns: [Column("from")]
        + [
          "days", "days_logged", "entries", "protein_g", "carbs_g", "fat_g", "kcal", "average_protein_g",
          "average_carbs_g", "average_fat_g", "average_kcal",
        ].map { Column($0, kind: .number) },
      rows: periods.map {
        [
          .string($0.from.description), .integer($0.days), .integer($0.daysLogged), .integer($0.entries),
          Cell($0.protein), Cell($0.carbs), Cell($0.fat), Cell($0.kcal), Cell($0.averageProtein),
          Cell($0.averageCarbs), Cell($0.averageFat), Cell($0.averageKcal),
        ]
      }
    )
  }

  /// Returns the averages as a sentence, with the number of days that they cover.
  static func averages(_ period: MacroPeriod) -> String {
    guard let protein = period.averageProtein, let carbs = period.averageCarbs, let fat = period.averageFat,
      let kcal = period.averageKcal
    else { return "no entries in \(period.days) days" }
    return "on average \(protein) g protein, \(carbs) g carbs, \(fat) g fat, \(kcal) kcal: over the "
      + "\(period.daysLogged) of \(period.days) days with entries"
  }
}
