import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// An own app that reads people and the records of another app, as its manifest says under `reads`.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ReadsTests {
  @Test func `a loan shows its borrower and its work order, of its own company`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(Self.loans().package())
    let engine = try await EngineFixture.open(database)
    for name in ["Ada", "Bo"] {
      let shop = try await Workshop.open(in: engine)
      let user = try #require(shop.members["user"])
      try await engine.superuser.execute("update core.app_user set name = \(name) where id = \(user.userID)")
      let entry = try await shop.entry("user", ["actual_cost": "12.50"])
      let loan = try await shop.records.create(
        shop.acting("admin"),
        type: "loans.loan",
        fields: ["title": "Drill", "borrower_id": .id(user.userID), "entry_id": .id(entry)]
      )
      let shown = try await shop.records.show(shop.acting("admin"), type: "loans.loan", id: loan.id)
      #expect(shown["borrower"]?.string == name && shown["entry"]?.string == "WO-1001", "\(shown)")
      #expect(try await shop.report("v1_open_loan", "borrower, entry") == ["\(name)|WO-1001"])
    }
    await admin.close()
    await engine.close()
  }

  @Test(arguments: [
    ("reads: [core.person, maintenance.entry]", "reads: [core.person]", "maintenance.entry.actual_cost"),
    ("reads: [core.person, maintenance.entry]", "reads: [maintenance.entry]", "core.app_user.name"),
    ("p.name as borrower", "p.email as borrower", "core.app_user.email"),
    ("p.name as borrower", "p.password_hash as borrower", "core.app_user.password_hash"),
    ("e.actual_cost,", "e.history_hash as actual_cost,", "maintenance.entry.history_hash"),
    ("e.actual_cost,", "e.origin_device as actual_cost,", "maintenance.entry.origin_device"),
  ])
  func `what the manifest does not name is refused`(_ right: String, _ wrong: String, _ object: String)
    async throws
  {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    var app = Self.loans()
    for (path, text) in app.files where text.contains(right) {
      app = try app.replacing(right, with: wrong, in: path)
    }
    let error = try await refused { _ = try await AppInstaller(admin).install(app.package()) }
    #expect(error.code == .refusedSQL)
    #expect(String(describing: error.details).contains("reads_others"), "\(error)")
    #expect("\(error.message) \(error.details)".contains(object), "\(error)")
    await admin.close()
  }

  @Test(arguments: ["core.company", "maintenance.entrie", "loans.loan", "core.app_user"])
  func `a name under reads that is no type of another app is a finding`(_ name: String) async throws {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    let app = try Self.loans().replacing(
      "maintenance.entry]",
      with: "maintenance.entry, \(name)]",
      in: "app.yaml"
    )
    let error = try await refused { _ = try await AppInstaller(admin).install(app.package()) }
    #expect(error.code == .invalidManifest && error.message.contains("reads[2]"), "\(error)")
    await admin.close()
  }

  @Test func `an app comes after those that it reads`() throws {
    let packages = [try Self.loans().package(), try AppPackage.embedded("maintenance")]
    #expect(AppPackage.ordered(packages).map(\.manifest.app) == ["maintenance", "loans"])
  }

  private static func loans() -> ExampleApp {
    ExampleApp(files: [
      "app.yaml": """
      app: loans
      version: 1
      title: Loans
      types:
        loans.loan:
          label: Loan
          plural: Loans
          table: loans.loan
          view: loans.v_loan
          title_field: title
          grants: { owner: [all], admin: [all] }
          editable: [title]
          fixed: [borrower_id, entry_id]
          references:
            borrower_id: { to: core.membership, on_delete: keep }
            entry_id: { to: maintenance.entry, on_delete: keep }
      reports:
        - { name: open_loans, title: Loans, view: report.v1_open_loan }
      reads: [core.person, maintenance.entry]
      """,
      "tables/01_loans.sql": """
      create schema loans;
      create table loans.loan (
        like core.record_base including defaults including comments,
        title       text not null,
        borrower_id uuid not null,
        entry_id    uuid not null,
        primary key (company_id, id),
        foreign key (company_id, borrower_id) references core.membership (company_id, user_id),
        foreign key (company_id, entry_id) references maintenance.entry (company_id, id)
      );
      create index on loans.loan (company_id, borrower_id);
      create index on loans.loan (company_id, entry_id);
      comment on table loans.loan is 'A tool that a member has borrowed.';
      """,
      "views/v_loan.sql": """
      -- Loans with their borrowers and work orders.
      create view loans.v_loan with (security_invoker = true) as
      select l.company_id, l.id, l.version, l.created_by, l.created_at, l.updated_by, l.updated_at, l.title,
        l.borrower_id, l.entry_id,
        p.name as borrower, e.number as entry, e.actual_cost, e.deleted_at is not null as is_gone
      from loans.loan l
      join core.app_user p on p.id = l.borrower_id
      join maintenance.entry e on e.company_id = l.company_id and e.id = l.entry_id
      where l.deleted_at is null;
      """,
      "reports/v1_open_loan.sql": """
      -- Loans.
      create view report.v1_open_loan with (security_invoker = true, security_barrier = true) as
      select l.company_id, l.title, p.name as borrower, e.number as entry
      from loans.loan l
      join core.app_user p on p.id = l.borrower_id
      join maintenance.entry e on e.company_id = l.company_id and e.id = l.entry_id
      where l.deleted_at is null;
      """,
    ])
  }
}
