internal import GRDB

/// The tables of the store on the device.
///
/// `record` is the server's state, as far as it was pulled. `draft` covers records that the device changed and whose
/// effect it has not pulled yet: the app sees the draft, and pulled rows go to the record below, its shadow.
///
/// The tables have row ids, without which SQLite does not report changes to observers.
enum Schema {
  /// The migrations, which are never changed after a release.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 records and changes") { db in try db.execute(sql: first) }
    migrator.registerMigration("2 files are changes") { db in try db.execute(sql: second) }
    return migrator
  }

  private static let first = """
    create table setting (
      name text not null primary key,
      value text not null
    ) strict;

    create table record (
      type text not null,
      id text not null,
      scope text not null,
      version integer not null,
      fields text not null,
      files text,
      is_stale integer not null default 0,
      primary key (type, id)
    ) strict;
    create index record_scope on record (scope, is_stale);

    create table draft (
      type text not null,
      id text not null,
      base_version integer not null,
      fields text not null,
      is_deleted integer not null default 0,
      primary key (type, id)
    ) strict;

    create table change (
      device text not null,
      no integer not null,
      type text not null,
      id text not null,
      op text not null,
      fields text,
      "transition" text,
      comment text,
      base_version integer not null,
      made_at integer not null,
      document text,
      status text not null,
      attempts integer not null default 0,
      result text,
      version integer,
      checkpoint integer not null default 0,
      code text,
      answer text,
      answered_at integer,
      decision text,
      asks_retry integer not null default 0,
      told text,
      primary key (device, no)
    ) strict;
    create index change_open on change (status, no) where status in ('pending', 'uploading', 'conflict', 'failed');
    create index change_record on change (type, id, no);

    create table file (
      id text not null primary key,
      type text not null,
      record text not null,
      kind text not null,
      name text not null,
      media_type text not null,
      size integer not null,
      status text not null,
      attempts integer not null default 0,
      code text,
      detail text,
      made_at integer not null
    ) strict;
    create index file_record on file (type, record);

    create table dropped_scope (
      scope text not null primary key
    ) strict;
    """

  /// A change may attach a file, whose bytes are sent when the change is applied. `received` is what the server had of
  /// the bytes when it was last asked.
  private static let second = """
    alter table change add column file text;
    create index change_file on change (file) where file is not null;
    alter table file add column received integer not null default 0;
    alter table file add column is_withdrawn integer not null default 0;
    """
}
