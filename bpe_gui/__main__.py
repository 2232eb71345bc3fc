"""`python -m bpe_gui`"""

import sys

from bpe_gui.app import main

sys.exit(main())
