import AppInterfaces
import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import Testing

/// The order in which lists begin, of every record type.
@Suite struct DefaultOrderTests {
  @Test func `the first page of every list with an order of its own is read by an index`() async throws {
    let shop = try await Workshop.open()
    for type in shop.records.catalogue.types {
      guard let order = type.definition.command?.sort, type.definition.scope != .owner else { continue }
      let columns = order.split(separator: ",").map { String($0.drop { $0 == "-" }) }
      guard columns.allSatisfy({ type.column($0) != nil }) else { continue }
      let indexes = try await shop.engine.superuser.rows(
        """
        select array(
          select a.attname::text from unnest(x.indkey::smallint[]) with ordinality k (number, place)
          join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number
          where k.place <= x.indnkeyatts
          order by k.place
        )
        from pg_index x
        where x.indrelid = \(type.definition.table)::regclass
        """,
        [String].self
      )
      // A company has few records of a type that belongs to another one, such as the categories of a machine.
      let isSmall = ["maintenance.machine", "maintenance.category", "maintenance.meter"].contains(type.name)
      let isIndexed = indexes.contains { $0.prefix(columns.count + 1) == ["company_id"] + columns }
      #expect(isIndexed || isSmall, "\(type.name) by \(order): \(indexes)")
    }
  }
}
