"""The commands that export an account and import it."""

from pathlib import Path
from zipfile import ZipFile

from tests.serve.running import run

PASSWORD = "a-canary-of-a-password"


def test_an_account_is_exported_and_imported_into_an_empty_service(tmp_path: Path, database: str) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "ana.zip"
    assert (
        run("users", "create", "ana", "ana@example.org", "--password", PASSWORD, folder=tmp_path, data=old, database=database).returncode
        == 0
    )
    exported = run("users", "export", "ana", str(file), folder=tmp_path, data=old, database=database)
    assert (exported.returncode, exported.stderr) == (0, "")
    assert exported.stdout.startswith("Exported 2 records of ana into ")
    assert file.stat().st_mode & 0o077 == 0
    with ZipFile(file) as archive:
        assert archive.testzip() is None
    again = run("users", "export", "ana", str(file), folder=tmp_path, data=old, database=database)
    assert "Choose another name" in again.stderr
    refused = run("users", "import", str(file), "--password", PASSWORD, folder=tmp_path, data=old, database=database)
    assert "into an empty service" in refused.stderr
    imported = run("users", "import", str(file), "--password", PASSWORD, folder=tmp_path, data=new)
    assert (imported.returncode, imported.stderr) == (0, "")
    assert imported.stdout.startswith("Imported 2 records of ana, as they were at ")
    listed = run("users", "list", folder=tmp_path, data=new).stdout
    assert listed.startswith("1\tana\tana@example.org\t")
    assert "\tadmin\tactive" in listed
